import { z } from 'zod';
import { EFFECTS } from '../../contracts/effects.js';
import { abilityId, jsonObject } from './values.js';

/** The state of one definition after its last import: the base for detecting people's edits. */
const importedFile = z.strictObject({
  /** Relative to the project root, with forward slashes. */
  file: z.string().min(1),
  definition: jsonObject,
});

/** `registry/.imports/<kind>.<name>.json`: the state of the last import. Written by the import alone. */
export const importState = z.strictObject({
  format: z.literal(1),
  kind: z.enum(['mcp', 'openapi', 'arazzo']),
  name: z.string().min(1),
  /** The location of the other system; for people. */
  location: z.string(),
  /** The prefix of operation keys. */
  prefix: z.string(),
  /** Globs over keys and names that chose the operations; absent: all. */
  select: z.array(z.string()).optional(),
  /** Effects that people chose for a pattern; the last matching one counts; absent: none. */
  effects: z.array(z.strictObject({ pattern: z.string().min(1), effect: z.enum(EFFECTS) })).optional(),
  /** `id`: its `operationId` over there, by which other documents name it; absent: it has none. */
  operations: z.record(abilityId, importedFile.extend({ source: z.string(), id: z.string().optional() })),
  config: importedFile.optional(),
  /** Pinned definitions, by SHA-256, so that a change can be shown. Source: docs/imports.md#an-mcp-server. */
  pinned: z.record(z.string().regex(/^[0-9a-f]{64}$/), jsonObject),
});

/** The operations of the last import. */
export type ImportState = z.output<typeof importState>;

/** A definition as it was imported last, and where it was written to. */
export type ImportedFile = z.output<typeof importedFile>;
