import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import { AbilityError, reasonOf, usageError } from '../../contracts/problem.js';
import { foldersOf } from '../../definitions/find-project.js';
import { config } from '../../definitions/formats/config.js';
import type { ImportedFile, ImportState } from '../../definitions/formats/import-state.js';
import { importFile, readImport } from '../../definitions/read-imports.js';
import type { Registry } from '../../definitions/registry.js';
import { isProblem, readYaml } from '../../definitions/yaml-source.js';
import { slashedPath } from '../../disk/paths.js';
import { matchesAnyGlob } from '../../text/glob.js';
import { FileDraft } from '../file-draft.js';
import type { PlannedFile } from '../write-together.js';
import { commentsFor, renderChecked } from './definition-text.js';
import { chooseEffects, joinChoices, type KeptChoice } from './effect-choices.js';
import { notOurs } from './import-fault.js';
import type { Imported, ImportedOperation, LeftOut } from './imported.js';
import { type FilePlan, isThere, planFile, unchanged } from './plan-file.js';
import { homesOf, type Importing, type OperationPlan, pinOf, planOperation, refuseTwins } from './plan-operation.js';
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
