import { z } from 'zod';
import { EFFECTS } from '../../contracts/effects.js';
import { abilityId, jsonObject } from './values.js';

/** The state of one definition after its last import: the base for detecting people's edits. */
const importedFile = z.strictObject({
  /** Relative to the project root, with forward slashes. */
  file: z.string().min(1),
  definition: jsonObject,
});

/** `registry/.imports/<kind>.<name>.json`: what an import took over last. Written by the import alone. */
export const importState = z.strictObject({
  format: z.literal(1),
  kind: z.enum(['mcp', 'openapi', 'arazzo']),
  name: z.string().min(1),
  /** How the other system was reached; for people. */
  location: z.string(),
  /** What operation keys begin with. */
  prefix: z.string(),
  /** Globs over keys and names that chose the operations; absent: all. */
  select: z.array(z.string()).optional(),
  /** Effects that people chose for what fits a pattern, the last one that fits counting; absent: none. */
  effects: z.array(z.strictObject({ pattern: z.string().min(1), effect: z.enum(EFFECTS) })).optional(),
  /** `id`: its `operationId` over there, by which other documents name it; absent: it has none. */
  operations: z.record(abilityId, importedFile.extend({ source: z.string(), id: z.string().optional() })),
  config: importedFile.optional(),
  /** What pinned definitions were, by SHA-256, so that a change can be shown. Source: docs/imports.md#an-mcp-server. */
  pinned: z.record(z.string().regex(/^[0-9a-f]{64}$/), jsonObject),
});

/** What an import took over last. */
export type ImportState = z.output<typeof importState>;

/** A definition as it was imported last, and where it was written to. */
export type ImportedFile = z.output<typeof importedFile>;
