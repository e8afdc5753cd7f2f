import type { FuncKeywordDefinition } from 'ajv';
import { _ } from 'ajv/dist/2020.js';
import { type FilePlace, type FilePlaceStep, isFileValue } from '../../../contracts/files.js';
import { isJsonObject, type Json, type JsonObject } from '../../../contracts/json.js';
import { pointerSteps, valueAt } from '../../../text/json-pointer.js';
import { memoize } from '../../../text/memoize.js';
import { FILE_KEYWORD, isFileSchema, LocalReferences } from './local-references.js';

/** Above this limit, a file may be anywhere in the value. */
const MAX_PLACES = 500;
const ANYWHERE: FilePlace = [{ deep: true }];
const SAME_VALUE = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'] as const;

/** The places where a schema expects a file, without duplicates; in a recursive schema, at any depth. */
export function filePlaces(schema: JsonObject): FilePlace[] {
  const root = new LocalReferences(schema, 'The schema').rewritten();
  const found = new Map<string, FilePlace>();
  for (const place of placesIn(root, [], { root, open: new Set() })) {
    found.set(JSON.stringify(place), place);
    if (found.size > MAX_PLACES) return [ANYWHERE];
  }
  return [...found.values()];
}

interface Walk {
  root: JsonObject;
  /** The schemas on the path to the current one, to detect recursion. */
  open: ReadonlySet<JsonObject>;
}

function* placesIn(schema: Json | undefined, at: FilePlace, { root, open }: Walk): Generator<FilePlace> {
  if (!isJsonObject(schema)) return;
  if (open.has(schema)) {
    yield [...at, { deep: true }];
    return;
  }
  const walk = { root, open: new Set([...open, schema]) };
  if (isFileSchema(schema)) yield at;
  yield* placesIn(referred(schema, root), at, walk);
  for (const same of SAME_VALUE) {
    for (const inner of [schema[same] ?? []].flat()) yield* placesIn(inner, at, walk);
  }
  for (const inner of Object.values(mapOf(schema.dependentSchemas))) yield* placesIn(inner, at, walk);
  const properties = mapOf(schema.properties);
  for (const [name, inner] of Object.entries(properties)) yield* placesIn(inner, [...at, name], walk);
  const patterns = Object.values(mapOf(schema.patternProperties));
  for (const inner of patterns) yield* placesIn(inner, [...at, { besides: [] }], walk);
  const others: FilePlaceStep = { besides: Object.keys(properties) };
  for (const key of ['additionalProperties', 'unevaluatedProperties'])
    yield* placesIn(schema[key], [...at, others], walk);
  const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  for (const [index, inner] of first.entries()) yield* placesIn(inner, [...at, String(index)], walk);
  const rest: FilePlaceStep = { besides: first.map((_, index) => String(index)) };
  for (const key of ['items', 'unevaluatedItems']) yield* placesIn(schema[key], [...at, rest], walk);
  yield* placesIn(schema.contains, [...at, { besides: [] }], walk);
}

function mapOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The target of a local `$ref`; undefined for other documents, which contain no file schema. */
function referred({ $ref }: JsonObject, root: JsonObject): Json | undefined {
  if (typeof $ref !== 'string' || !$ref.startsWith('#')) return undefined;
  return valueAt<Json>(root, pointerSteps($ref, true));
}

export const takesFiles = memoize(
  (schema: JsonObject) =>
    JSON.stringify(schema).includes('"format":"file"') &&
    new LocalReferences(schema, 'The schema').parts.some((part) => isFileSchema(part.schema)),
);

/** Checks that a value is null or a complete file value; `type` decides whether null is allowed. */
export const fileKeyword: FuncKeywordDefinition = {
  keyword: FILE_KEYWORD,
  schemaType: 'boolean',
  validate: (_wanted: boolean, value: unknown) => value === null || isFileValue(value),
  error: { message: 'must be a file: { $file, name, bytes, media_type }', params: () => _`{}` },
};
