import { z } from 'zod';
import { EFFECTS } from '../../contracts/effects.js';
import { abilityId, jsonObject, matching, text } from './values.js';

/** A definition after its last import: the base for detecting people's edits. */
const importedFile = z.strictObject({
  /** Relative to the project root, with forward slashes. */
  file: text,
  definition: jsonObject,
});

/** `registry/.imports/<kind>.<name>.json`: the state of the last import. Only imports write it. */
export const importState = z.strictObject({
  format: z.literal(1),
  kind: z.enum(['mcp', 'openapi']),
  name: text,
  location: z.string(),
  prefix: z.string(),
  /** Globs over keys and names that chose the operations; absent: all. */
  select: z.array(z.string()).optional(),
  /** Effects that people chose for a pattern; the last matching one counts; absent: none. */
  effects: z.array(z.strictObject({ pattern: text, effect: z.enum(EFFECTS) })).optional(),
  operations: z.record(abilityId, z.strictObject({ ...importedFile.shape, source: z.string() })),
  config: importedFile.optional(),
  /** Pinned definitions, by SHA-256, so that a change can be shown. Source: docs/imports.md#an-mcp-server. */
  pinned: z.record(matching(/^[0-9a-f]{64}$/), jsonObject),
});

export type ImportState = z.output<typeof importState>;

export type ImportedFile = z.output<typeof importedFile>;
