import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';

/** A place that both sides changed differently. `undefined`: the value is absent. */
interface Conflict {
  at: string;
  /** The version edited by people. */
  mine: Json | undefined;
  /** The current version of the source. */
  theirs: Json | undefined;
}

export interface Merged {
  value: JsonObject;
  conflicts: Conflict[];
}

type Value = Json | undefined;

/**
 * Merges an edited definition with its present source, key by key. A change on one side is taken; if both changed
 * a key, people's value stays unless `overwrite`. Lists are one value, except lists of maps with an `id` each,
 * merged by it. @param base the last import.
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

/** Names of a list in order; new names follow their predecessor in the other list. */
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

/** Items of a list by id; undefined if they are not objects with unique ids. */
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
