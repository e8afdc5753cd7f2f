import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';

/** A place that both sides changed, each otherwise. `undefined`: there is nothing. */
export interface Conflict {
  at: string;
  /** People's version. */
  mine: Json | undefined;
  /** The present version of the source. */
  theirs: Json | undefined;
}

/** A definition into which what changed at its source was taken over. */
export interface Merged {
  value: JsonObject;
  conflicts: Conflict[];
}

type Value = Json | undefined;

/**
 * Merges key by key a definition as people edited it with its present source.
 *
 * A change on one side is taken from that side; if both changed a key, people's value stays unless `overwrite`. Lists are one value, except
 * those of maps with an `id` each, which are merged by it.
 *
 * @param base the last import.
 */
export function mergeDefinitions(base: JsonObject, mine: JsonObject, theirs: JsonObject, overwrite = false): Merged {
  const conflicts: Conflict[] = [];
  const value = merge('', base, mine, theirs, { conflicts, overwrite });
  return { value: isJsonObject(value) ? value : mine, conflicts };
}

interface Merging {
  conflicts: Conflict[];
  overwrite: boolean;
}

function merge(at: string, base: Value, mine: Value, theirs: Value, merging: Merging): Value {
  if (isDeepStrictEqual(mine, theirs) || isDeepStrictEqual(base, theirs)) return mine;
  if (isDeepStrictEqual(base, mine)) return theirs;
  if (isJsonObject(mine) && isJsonObject(theirs))
    return mergeMaps(at, isJsonObject(base) ? base : {}, mine, theirs, merging);
  const lists = [base ?? [], mine, theirs].map(byId);
  const [before, own, other] = lists;
  if (before && own && other) return [...mergeById(at, before, own, other, merging)];
  merging.conflicts.push({ at, mine, theirs });
  return merging.overwrite ? theirs : mine;
}

function mergeMaps(at: string, base: JsonObject, mine: JsonObject, theirs: JsonObject, merging: Merging): JsonObject {
  const merged = inOrder(Object.keys(mine), Object.keys(theirs)).flatMap((key): [string, Json][] => {
    const place = at === '' ? key : `${at}.${key}`;
    const value = merge(place, ownOf(base, key), ownOf(mine, key), ownOf(theirs, key), merging);
    return value === undefined ? [] : [[key, value]];
  });
  return Object.fromEntries(merged);
}

type Items = ReadonlyMap<string, JsonObject>;

function* mergeById(at: string, base: Items, mine: Items, theirs: Items, merging: Merging): Generator<Json> {
  for (const id of inOrder([...mine.keys()], [...theirs.keys()])) {
    const value = merge(`${at}[${id}]`, base.get(id), mine.get(id), theirs.get(id), merging);
    if (value !== undefined) yield value;
  }
}

/** The names of a list in their order, each new one behind the one it follows in the other list. */
function inOrder(own: string[], others: string[]): string[] {
  const known = new Set(own);
  const behind = new Map<string | undefined, string[]>();
  let last: string | undefined;
  for (const name of others) {
    if (known.has(name)) last = name;
    else behind.set(last, [...(behind.get(last) ?? []), name]);
  }
  return [...(behind.get(undefined) ?? []), ...own.flatMap((name) => [name, ...(behind.get(name) ?? [])])];
}

/** The items of a list by their ids; undefined where it is no such list. */
export function byId(value: unknown): Map<string, JsonObject> | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = new Map<string, JsonObject>();
  for (const item of value as Json[]) {
    if (!isJsonObject(item) || typeof item.id !== 'string' || items.has(item.id)) return undefined;
    items.set(item.id, item);
  }
  return items;
}

function ownOf(value: JsonObject, key: string): Value {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
