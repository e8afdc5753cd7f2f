import type { JsonObject } from '../../contracts/json.js';
import type { ImportedFile, ImportState } from '../../definitions/formats/import-state.js';
import type { KeptChoice } from './effect-choices.js';
import type { Imported } from './imported.js';
import { pinOf } from './pins.js';
import type { FilePlan } from './plan-file.js';
import type { Importing, OperationPlan } from './plan-operation.js';

/** What an import remembers of itself: all that the next one needs to tell people's edits from its source's. */
export function rememberImport(
  imported: Imported,
  { options, state, homes }: Importing,
  { select, effects }: { select: string[] | undefined; effects: KeptChoice[] },
  plans: OperationPlan[],
  config: (FilePlan & { definition: JsonObject }) | undefined,
): ImportState {
  const operations = { ...withHomes(state, homes) };
  for (const { operation, change, value } of plans) {
    // What could not be merged is still to be merged with what was imported before.
    if (value === undefined && Object.hasOwn(operations, operation.key)) continue;
    const { source, definition, id } = operation;
    operations[operation.key] = { file: change.file, source, ...(id !== undefined && { id }), definition };
  }
  const kept: ImportedFile | undefined =
    config?.value === undefined ? state?.config : { file: config.change.file, definition: config.definition };
  const { kind, name, location, prefix } = options;
  const definitions = [
    ...Object.values(operations).map(({ definition }) => definition),
    ...plans.map((plan) => plan.value),
  ];
  const used = new Set(definitions.map(pinOf));
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
    pinned: sorted(pick({ ...state?.pinned, ...imported.pinned }, used)),
  };
}

/** What was imported earlier, under the names that its files have now. */
function withHomes(state: ImportState | undefined, homes: Importing['homes']): ImportState['operations'] {
  return Object.fromEntries(
    Object.entries(state?.operations ?? {}).map(([key, entry]) => {
      const home = homes.get(key);
      return [key, home && home.fault === undefined ? { ...entry, file: home.file } : entry];
    }),
  );
}

function pick(all: Record<string, JsonObject>, wanted: ReadonlySet<string | undefined>): Record<string, JsonObject> {
  return Object.fromEntries(Object.entries(all).filter(([digest]) => wanted.has(digest)));
}

/** Always the same text for the same import, so that version control shows what changed. */
function sorted<T>(entries: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
}
