import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import { reasonOf } from '../../contracts/problem.js';
import { kindOf, loadedComposites } from '../../definitions/find-ability.js';
import { foldersOf } from '../../definitions/find-project.js';
import type { ImportState } from '../../definitions/formats/import-state.js';
import { lowLevel } from '../../definitions/formats/low-level.js';
import { isCaseFile } from '../../definitions/is-case-file.js';
import type { Registry } from '../../definitions/registry.js';
import { isProblem, readYaml } from '../../definitions/yaml-source.js';
import { slashedPath } from '../../disk/paths.js';
import { commentsFor, type FileCheck, renderChecked } from './definition-text.js';
import type { ImportedOperation, LeftOut } from './imported.js';
import { differencesOf, type FilePlan, isThere, keep, planFile, unchanged } from './plan-file.js';
import type { ImportOptions } from './planned-import.js';

export interface Importing {
  registry: Registry;
  options: ImportOptions;
  state: ImportState | undefined;
  homes: Homes;
  /** Pinned descriptions of the current source, by digest. */
  pinned: Readonly<Record<string, JsonObject>>;
}

/** The file that defines each ability. */
export type Homes = ReadonlyMap<string, Home>;

interface Home {
  file: string;
  /** Why no operation can be merged into it. */
  fault?: string;
}

export type OperationPlan = FilePlan & { operation: ImportedOperation };

/** Plans one operation, or returns why it becomes no file. */
export function planOperation(operation: ImportedOperation, importing: Importing): OperationPlan | LeftOut {
  const { key, source, definition } = operation;
  const { registry, options, state, homes } = importing;
  const check = operationCheck(options);
  const known = state && Object.hasOwn(state.operations, key) ? state.operations[key] : undefined;
  const home = homes.get(key);
  const file = home?.file ?? known?.file ?? fileOf(registry.root, key);
  const path = join(registry.root, file);
  try {
    const render = (): string =>
      renderChecked(file, definition, commentsFor(registry.root, file, 'low-level', options), check);
    // A definition unchanged since its import was checked then.
    const text = known && isDeepStrictEqual(known.definition, definition) ? undefined : render();
    const wanted = {
      file,
      path,
      definition,
      render: () => text ?? render(),
      base: known?.definition,
      overwrite: options.overwrite === true,
      check,
      known: options.sources?.get(file),
    };
    if (known && home?.fault !== undefined) return { operation, ...keep(file, home.fault) };
    if (known) return { operation, ...withPinShown(planFile(wanted), known.definition, definition, importing) };
    if (!isThere(path)) return { operation, ...planFile(wanted) };
    // Written by an import that failed before it saved its state.
    if (isDeepStrictEqual(readValue(file, path), definition)) {
      return { operation, change: unchanged(file), value: definition };
    }
    return { source, reason: `${file} ${home ? `defines ${key}` : 'is there'} already, and is not from this import` };
  } catch (error) {
    return { source, reason: reasonOf(error) };
  }
}

export function homesOf(registry: Registry): Homes {
  const homes = new Map<string, Home>();
  for (const [key, { file }] of registry.operations) homes.set(key, { file });
  for (const [key, { file, value }] of loadedComposites(registry))
    homes.set(key, { file, fault: `it is ${kindOf(value)} now` });
  for (const [id, { message, location }] of registry.broken) {
    if (!id.startsWith('ability:') || !location) continue;
    homes.set(id.slice('ability:'.length), { file: location.file, fault: message });
  }
  return homes;
}

function operationCheck({ compileSchema }: ImportOptions): FileCheck {
  return {
    kind: 'low-level',
    schema: lowLevel,
    more(value) {
      for (const name of ['input_schema', 'output_schema']) {
        const schema = value[name];
        if (isJsonObject(schema)) compileSchema(schema, `its ${name}`);
      }
    },
  };
}

/** Avoids names ending in `.test.yaml`, which mark files of test cases. */
function fileOf(root: string, key: string): string {
  const name = isCaseFile(`${key}.yaml`) ? `${key}.operation.yaml` : `${key}.yaml`;
  return slashedPath(root, join(foldersOf(root).registry, 'low-level', name));
}

function readValue(file: string, path: string): unknown {
  const source = readYaml(file, readFileSync(path, 'utf8'));
  return isProblem(source) ? undefined : source.value;
}

/** Separates operations with a unique key from those that share one. */
export function refuseTwins(operations: ImportedOperation[]): { single: ImportedOperation[]; leftOut: LeftOut[] } {
  const byKey = new Map<string, string[]>();
  for (const { key, source } of operations) byKey.set(key, [...(byKey.get(key) ?? []), source]);
  const isSingle = ({ key }: ImportedOperation): boolean => byKey.get(key)?.length === 1;
  const leftOut = operations
    .filter((operation) => !isSingle(operation))
    .map(({ key, source }) => {
      const others = byKey.get(key)?.filter((other) => other !== source) ?? [];
      const reason = `${[...new Set(others)].join(', ') || 'another one'} would be ${key} as well; choose one with --select`;
      return { source, reason };
    });
  return { single: operations.filter(isSingle), leftOut };
}

/** The digest that a definition pins, as 64 hex digits; undefined: none. */
export function pinOf(definition: JsonObject | undefined): string | undefined {
  const { implementation } = (definition ?? {}) as { implementation?: { mcp?: { pinned?: unknown } | null } | null };
  const pinned = implementation?.mcp?.pinned;
  return typeof pinned === 'string' ? pinned.replace(/^sha256:/, '') : undefined;
}

/** Shows what changed behind a new digest, from the pinned state to the present one. */
function withPinShown(
  plan: FilePlan,
  base: JsonObject,
  definition: JsonObject,
  { state, pinned }: Importing,
): FilePlan {
  const before = state?.pinned[pinOf(base) ?? ''];
  const after = pinned[pinOf(definition) ?? ''];
  const { change } = plan;
  const isOnlyPin = change.differences.every(({ at }) => at === 'implementation.mcp.pinned');
  if (change.status !== 'changed' || !isOnlyPin || !before || !after) return plan;
  const shown = differencesOf(before, after).map(({ at, ...values }) => ({ at: `tool.${at}`, ...values }));
  return { ...plan, change: { ...change, differences: [...change.differences, ...shown] } };
}
