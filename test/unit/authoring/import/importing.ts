import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Imported, ImportedOperation } from '../../../../src/authoring/import/imported.js';
import { planImport } from '../../../../src/authoring/import/plan-import.js';
import type { ImportOptions, PlannedImport } from '../../../../src/authoring/import/planned-import.js';
import { writeTogetherOr } from '../../../../src/authoring/write-together.js';
import type { JsonObject } from '../../../../src/contracts/json.js';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import { compileSchema } from '../../../../src/planning/input/schemas.js';
import type { ProjectFolder } from '../../../fixtures/project-folder.js';

/** An operation as some source describes it. */
export function found(source: string, more: JsonObject = {}, notes: string[] = []): ImportedOperation {
  const key = `src.${source.toLowerCase()}`;
  const definition = {
    operation_key: key,
    version: 1,
    summary: `Does ${source}.`,
    effects: 'read',
    input_schema: { type: 'object', properties: { a: { type: 'string' } } },
    implementation: { kind: 'mcp', mcp: { server: 'src', tool: source } },
    ...more,
  };
  return { key, source, definition, notes };
}

/** What a source describes. */
export function sourceOf(operations: ImportedOperation[], more: Partial<Imported> = {}): Imported {
  return { operations, leftOut: [], notes: [], ...more };
}

/** Plans an import into a project. */
export function plan(
  { root }: ProjectFolder,
  imported: Imported | ImportedOperation[],
  more: Partial<ImportOptions> = {},
): PlannedImport {
  const options = {
    kind: 'mcp',
    name: 'src',
    location: 'node src.mjs',
    command: 'ability import mcp src',
    prefix: 'src',
    compileSchema,
  } as const;
  return planImport(loadRegistry(root), Array.isArray(imported) ? sourceOf(imported) : imported, {
    ...options,
    ...more,
  });
}

/** Imports into a project. */
export function importInto(...args: Parameters<typeof plan>): PlannedImport {
  const planned = plan(...args);
  writeTogetherOr('import.write_failed', planned.root, planned.writes);
  return planned;
}

/** The statuses of an import by key. */
export function statuses({ operations }: PlannedImport): Record<string, string> {
  return Object.fromEntries(operations.map(({ key, status }) => [key, status]));
}

/** The text of a definition. */
export function textOf({ root }: ProjectFolder, key: string): string {
  return readFileSync(join(root, `registry/low-level/${key}.yaml`), 'utf8');
}
