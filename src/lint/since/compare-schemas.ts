import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';

export interface SchemaBreak {
  kind: 'required' | 'removed' | 'narrowed' | 'widened';
  /** The place in the newer schema or, for removed parts, in the older one. */
  path: PropertyKey[];
  /** Path of the property: `user.email`; empty for the value itself. */
  name: string;
  what: string;
}

export function* compareSchemas(
  before: JsonObject,
  after: JsonObject,
  direction: Direction,
  path: PropertyKey[] = [],
  name = '',
): Generator<SchemaBreak> {
  yield* compareTypes(before, after, direction, path, name);
  for (const { key, what } of compareLimits(before, after, direction)) {
    yield { kind: direction === 'input' ? 'narrowed' : 'widened', path: [...path, key], name, what };
  }
  const [old, now] = [propertiesOf(before), propertiesOf(after)];
  const [neededBefore, neededNow] = [requiredOf(before), requiredOf(after)];
  for (const key of direction === 'input' ? neededNow : []) {
    const isNew = !neededBefore.includes(key) && now.get(key)?.default === undefined;
    if (isNew) yield { kind: 'required', path: [...path, 'required'], name: join(name, key), what: 'is required now' };
  }
  for (const [key, schema] of old) {
    const inner = now.get(key);
    const at = [...path, 'properties'];
    if (inner) yield* compareSchemas(schema, inner, direction, [...at, key], join(name, key));
    else if (direction === 'output' || after.additionalProperties === false) {
      yield { kind: 'removed', path: at, name: join(name, key), what: 'was removed' };
    }
  }
  for (const key of direction === 'output' ? neededBefore : []) {
    if (neededNow.includes(key) || (old.has(key) && !now.has(key))) continue;
    yield { kind: 'removed', path: [...path, 'required'], name: join(name, key), what: 'may be missing now' };
  }
  if (isJsonObject(before.items) && isJsonObject(after.items)) {
    yield* compareSchemas(before.items, after.items, direction, [...path, 'items'], `${name}[]`);
  }
}

/** An input may accept more and an output may return less; the opposite breaks users. */
function* compareTypes(
  before: JsonObject,
  after: JsonObject,
  direction: Direction,
  path: PropertyKey[],
  name: string,
): Generator<SchemaBreak> {
  const [less, more] = direction === 'input' ? [after, before] : [before, after];
  const kind = direction === 'input' ? 'narrowed' : 'widened';
  const types = typesOf(less);
  const lostTypes = types && without(typesOf(more), (type) => takes(types, type));
  if (lostTypes) yield { kind, path: [...path, 'type'], name, what: wordingOf(direction, lostTypes, types) };
  const values = valuesOf(less)?.map((value) => JSON.stringify(value));
  const lostValues =
    values &&
    without(
      valuesOf(more)?.map((value) => JSON.stringify(value)),
      (value) => values.includes(value),
    );
  const key = after.const === undefined ? 'enum' : 'const';
  if (lostValues) yield { kind, path: [...path, key], name, what: wordingOf(direction, lostValues, values) };
}

/** Values that are no longer allowed: `any` if there was no limit; undefined if all are still allowed. */
function without(items: string[] | undefined, isAllowed: (item: string) => boolean): string[] | 'any' | undefined {
  if (items === undefined) return 'any';
  const lost = items.filter((item) => !isAllowed(item));
  return lost.length > 0 ? lost : undefined;
}

function takes(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

function wordingOf(direction: Direction, lost: string[] | 'any', allowed: readonly string[]): string {
  if (lost === 'any') {
    return direction === 'input'
      ? `takes only ${allowed.join(', ')} now`
      : `was ${allowed.join(', ')} and may be anything now`;
  }
  return direction === 'input' ? `no longer takes ${lost.join(', ')}` : `may be ${lost.join(', ')} now`;
}

function typesOf({ type }: JsonObject): string[] | undefined {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((item): item is string => typeof item === 'string') : undefined;
}

function valuesOf(schema: JsonObject): Json[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum;
  return schema.const === undefined ? undefined : [schema.const];
}

/** A map, since a property may be called `toString`. */
function propertiesOf({ properties }: JsonObject): ReadonlyMap<string, JsonObject> {
  if (!isJsonObject(properties)) return new Map();
  return new Map(Object.entries(properties).map(([key, schema]) => [key, isJsonObject(schema) ? schema : {}]));
}

function requiredOf({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required.filter((item): item is string => typeof item === 'string') : [];
}

function join(name: string, key: string): string {
  return name === '' ? key : `${name}.${key}`;
}

/** Callers send what an input accepts, and read what an output returns. */
export type Direction = 'input' | 'output';

/** `least`: a greater value is stricter; `most`: a smaller one is. */
const LIMITS: Readonly<Record<string, 'least' | 'most'>> = {
  minimum: 'least',
  exclusiveMinimum: 'least',
  minLength: 'least',
  minItems: 'least',
  minProperties: 'least',
  maximum: 'most',
  exclusiveMaximum: 'most',
  maxLength: 'most',
  maxItems: 'most',
  maxProperties: 'most',
};

function* compareLimits(
  before: JsonObject,
  after: JsonObject,
  direction: Direction,
): Generator<{ key: string; what: string }> {
  const isInput = direction === 'input';
  const [less, more] = isInput ? [after, before] : [before, after];
  for (const [key, kind] of Object.entries(LIMITS)) {
    const [bound, other] = [less[key], more[key]];
    if (typeof bound !== 'number' || isWithin(other, bound, kind)) continue;
    yield { key, what: `has the \`${key}\` ${said(after[key])} now, where it had ${said(before[key])}` };
  }
  if (isInput && after.additionalProperties === false && before.additionalProperties !== false) {
    yield { key: 'additionalProperties', what: 'takes no other fields now than those it names' };
  }
}

function isWithin(other: Json | undefined, bound: number, kind: 'least' | 'most'): boolean {
  return typeof other === 'number' && (kind === 'least' ? other >= bound : other <= bound);
}

function said(limit: Json | undefined): string {
  return limit === undefined ? 'none' : JSON.stringify(limit);
}
