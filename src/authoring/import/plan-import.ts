import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import { AbilityError, reasonOf, usageError } from '../../contracts/problem.js';
import { kindOf, loadedComposites } from '../../definitions/find-ability.js';
import { foldersOf } from '../../definitions/find-project.js';
import { config } from '../../definitions/formats/config.js';
import type { ImportedFile, ImportState } from '../../definitions/formats/import-state.js';
import { lowLevel } from '../../definitions/formats/low-level.js';
import { isCaseFile } from '../../definitions/is-case-file.js';
import { importFile, readImport } from '../../definitions/read-imports.js';
import type { Registry } from '../../definitions/registry.js';
import { isProblem, readYaml } from '../../definitions/yaml-source.js';
import { slashedPath } from '../../disk/paths.js';
import { matchesAnyGlob } from '../../text/glob.js';
import { FileDraft, isThere, type PlannedFile } from '../write-together.js';
import { chooseEffects, joinChoices, type KeptChoice } from './effect-choices.js';
import { notOurs } from './import-fault.js';
import type { Imported, ImportedOperation, LeftOut } from './imported.js';
import {
  commentsFor,
  differencesOf,
  type FileCheck,
  type FilePlan,
  keep,
  planFile,
  renderChecked,
  unchanged,
} from './plan-file.js';
import type { ImportOptions, PlannedImport, RemovedOperation, Undecided } from './planned-import.js';

/**
 * Plans an import without writing. An operation becomes a new file, is merged into its earlier one, or is left out
 * with the reason. People's edits stay; a file not from this import is never touched; one whose source was removed
 * stays. @throws AbilityError `import.state_broken`, `import.not_ours` for the configuration, `usage.invalid` if
 * nothing is chosen or the prefix has changed.
 */
export function planImport(registry: Registry, found: Imported, options: ImportOptions): PlannedImport {
  const state = readImport(registry.root, options.kind, options.name);
  if (state && state.prefix !== options.prefix) throw otherPrefix(state.prefix, options);
  const select = options.select ?? state?.select;
  const effects = joinChoices(state?.effects ?? [], options.effects ?? []);
  const imported = { ...found, operations: chooseEffects(found.operations, effects, options.effects ?? []) };
  const importing: Importing = { registry, options, state, homes: homesOf(registry), pinned: imported.pinned ?? {} };
  const chosen = choose(imported.operations, select);
  const { single, leftOut } = refuseTwins(chosen);
  const plans: OperationPlan[] = [];
  const refused: LeftOut[] = [];
  for (const operation of single) {
    const plan = planOperation(operation, importing);
    if ('reason' in plan) refused.push(plan);
    else plans.push(plan);
  }
  const config = planConfig(imported, importing);
  const writes = [...plans, ...(config ? [config] : [])].flatMap(({ write }) => write ?? []);
  const taken = new Set(chosen);
  return {
    operations: plans.map(({ change, operation: { key, source, notes } }) => ({ ...change, key, source, notes })),
    config: config?.change ?? null,
    leftOut: [...imported.leftOut, ...leftOut, ...refused],
    notSelected: imported.operations.filter((operation) => !taken.has(operation)).map(({ key }) => key),
    gone: removedSince(imported, importing),
    undecided: plans.flatMap(undecidedOf),
    select,
    notes: imported.notes,
    root: registry.root,
    writes: [
      ...writes,
      ...stateWrite(importing, rememberImport(imported, importing, { select, effects }, plans, config)),
    ],
  };
}

/** @throws AbilityError `usage.invalid` if no operation matches. */
function choose(operations: ImportedOperation[], select: string[] | undefined): ImportedOperation[] {
  if (!select) return operations;
  const chosen = operations.filter(({ key, source }) => matchesAnyGlob(select, key) || matchesAnyGlob(select, source));
  if (chosen.length > 0 || operations.length === 0) return chosen;
  const some = operations.slice(0, 10).map(({ source }) => source);
  throw usageError(
    `Nothing fits ${select.map((pattern) => `--select ${pattern}`).join(' ')}`,
    `There are ${operations.length}: ${some.join(', ')}${operations.length > some.length ? ', ...' : ''}`,
  );
}

/** Operations whose effects people should decide on; effects that they wrote into a file are decided. */
function undecidedOf({ operation: { key, source, definition, namedLike }, value }: OperationPlan): Undecided[] {
  const effects = String(definition.effects);
  if (namedLike === undefined || (value !== undefined && value.effects !== effects)) return [];
  return [{ key, source, effects, named_like: namedLike }];
}

function otherPrefix(before: string, { kind, name, prefix }: ImportOptions): AbilityError {
  return usageError(
    `${name} was imported with the prefix ${before}, and ${prefix} would import all of it once more`,
    `Leave --prefix out. Or remove what was imported and registry/.imports/${kind}.${name}.json first.`,
  );
}

/** Operations of an earlier import that no longer exist in the source. */
function removedSince({ operations, leftOut }: Imported, { state, homes }: Importing): RemovedOperation[] {
  const found = new Set([...operations, ...leftOut].map(({ source }) => source));
  return Object.entries(state?.operations ?? {}).flatMap(([key, { source }]) => {
    const home = homes.get(key);
    return home && !found.has(source) ? [{ key, source, file: home.file }] : [];
  });
}

function stateWrite({ registry, options, state }: Importing, next: NonNullable<Importing['state']>): PlannedFile[] {
  if (isDeepStrictEqual(state, next)) return [];
  const { root } = registry;
  const file = importFile(root, options.kind, options.name);
  const draft = new FileDraft(root);
  draft.edit(slashedPath(root, file), '', () => `${JSON.stringify(next, null, 1)}\n`);
  return draft.files();
}

/** The state of an import: what the next import needs to tell people's edits from the source's. */
function rememberImport(
  imported: Imported,
  { options, state, homes }: Importing,
  { select, effects }: { select: string[] | undefined; effects: KeptChoice[] },
  plans: OperationPlan[],
  config: (FilePlan & { definition: JsonObject }) | undefined,
): ImportState {
  const operations = { ...withHomes(state, homes) };
  for (const { operation, change, value } of plans) {
    // An unmerged operation keeps its earlier import as the base of the next merge.
    if (value === undefined && Object.hasOwn(operations, operation.key)) continue;
    const { source, definition } = operation;
    operations[operation.key] = { file: change.file, source, definition };
  }
  const kept: ImportedFile | undefined =
    config?.value === undefined ? state?.config : { file: config.change.file, definition: config.definition };
  const { kind, name, location, prefix } = options;
  const definitions = [
    ...Object.values(operations).map(({ definition }) => definition),
    ...plans.map((plan) => plan.value),
  ];
  const used = new Set(definitions.map(pinOf));
  const pinned = Object.entries({ ...state?.pinned, ...imported.pinned }).filter(([digest]) => used.has(digest));
  return {
    format: 1,
    kind,
    name,
    location,
    prefix,
    ...(select && { select }),
    ...(effects.length > 0 && { effects }),
    operations: sorted(operations),
    ...(kept && { config: kept }),
    pinned: sorted(Object.fromEntries(pinned)),
  };
}

/** Earlier imported definitions, under the current names of their files. */
function withHomes(state: ImportState | undefined, homes: Importing['homes']): ImportState['operations'] {
  return Object.fromEntries(
    Object.entries(state?.operations ?? {}).map(([key, entry]) => {
      const home = homes.get(key);
      return [key, home && home.fault === undefined ? { ...entry, file: home.file } : entry];
    }),
  );
}

/** Sorted, so that equal imports give equal text, and version control shows only real changes. */
function sorted<T>(entries: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Undefined: the import has no configuration. @throws AbilityError `import.not_ours`, `definition.invalid`. */
function planConfig(
  imported: Imported,
  { registry, options, state }: Importing,
): (FilePlan & { definition: JsonObject }) | undefined {
  if (!imported.config) return undefined;
  const { root } = registry;
  const definition = imported.config;
  const own = join(foldersOf(root).registry, 'config', `${options.name}.yaml`);
  const file = state?.config?.file ?? slashedPath(root, own);
  const path = join(root, file);
  const check = { kind: 'config', schema: config, more: () => {} } as const;
  const text = rendered(file, () => renderChecked(file, definition, commentsFor(root, file, 'config', options), check));
  // If people deleted the file, its entries may be elsewhere: a second one would disable both.
  const isMoved = !isThere(path) && hasSomeOf(definition, registry);
  const base = isThere(path) || isMoved ? state?.config?.definition : undefined;
  if (base || !isThere(path)) {
    return {
      definition,
      ...planFile({ file, path, definition, render: () => text, base, overwrite: options.overwrite === true, check }),
    };
  }
  const source = readYaml(file, readFileSync(path, 'utf8'));
  if (!isProblem(source) && isDeepStrictEqual(source.value, definition)) {
    return { definition, change: unchanged(file), value: definition };
  }
  throw notOurs(`${file} exists already and is not from this import, which would write its configuration there`, {
    location: { file },
    suggestion: 'Move its content to another file in registry/config.',
  });
}

/** Whether the registry already has a service that a configuration would write. */
function hasSomeOf({ services }: JsonObject, registry: Registry): boolean {
  return Object.keys(isJsonObject(services) ? services : {}).some((name) => registry.services.has(name));
}

function rendered(file: string, render: () => string): string {
  try {
    return render();
  } catch (error) {
    throw new AbilityError(
      { code: 'definition.invalid', message: `The configuration cannot be written to ${file}: ${reasonOf(error)}` },
      { cause: error },
    );
  }
}

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

function homesOf(registry: Registry): Homes {
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
function refuseTwins(operations: ImportedOperation[]): { single: ImportedOperation[]; leftOut: LeftOut[] } {
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
