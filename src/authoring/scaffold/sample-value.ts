import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { requiredIn } from '../../definitions/json-schema-keywords.js';

/** Limits recursion: a schema may contain itself. */
const MAX_LEVELS = 8;

const TEXTS: Record<string, string> = {
  email: 'someone@example.test',
  uri: 'https://example.test/',
  'uri-reference': '/',
  uuid: '00000000-0000-4000-8000-000000000000',
  date: '2026-01-31',
  time: '08:00:00Z',
  'date-time': '2026-01-31T08:00:00Z',
  duration: 'PT1M',
  hostname: 'example.test',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
};

/** A small value that the schema probably allows, from `const`, `default`, `enum` or `examples` if given. */
export function sampleOf(schema: Json, level = 0): Json {
  if (!isJsonObject(schema) || level > MAX_LEVELS) return null;
  for (const key of ['const', 'default'] as const) if (key in schema) return schema[key] ?? null;
  for (const key of ['enum', 'examples'] as const) {
    const list = schema[key];
    if (Array.isArray(list) && list.length > 0) return list[0] ?? null;
  }
  for (const key of ['anyOf', 'oneOf'] as const) {
    const list = schema[key];
    if (Array.isArray(list) && list.length > 0) return sampleOf(list[0] as Json, level + 1);
  }
  switch (typeOf(schema)) {
    case 'object':
      return objectOf(schema, level);
    case 'array':
      return Array.from({ length: numberIn(schema, 'minItems') ?? 0 }, () => sampleOf(schema.items ?? null, level + 1));
    case 'string':
      return textOf(schema);
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'boolean':
      return true;
    default:
      return null;
  }
}

function typeOf({ type, properties, required }: JsonObject): unknown {
  if (Array.isArray(type)) return type[0];
  return type ?? (properties !== undefined || required !== undefined ? 'object' : undefined);
}

function objectOf(schema: JsonObject, level: number): JsonObject {
  const known = isJsonObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(
    requiredIn(schema).map((name) => [name, sampleOf(known[name] ?? { type: 'string' }, level + 1)]),
  );
}

function textOf({ format, minLength, maxLength }: JsonObject): string {
  const known = typeof format === 'string' && Object.hasOwn(TEXTS, format) ? TEXTS[format] : undefined;
  if (known !== undefined) return known;
  const least = typeof minLength === 'number' ? minLength : 0;
  const max = typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY;
  return 'example'.padEnd(Math.min(least, 10_000), 'x').slice(0, max);
}

function numberOf(schema: JsonObject): number {
  const above = numberIn(schema, 'exclusiveMinimum');
  const max = numberIn(schema, 'maximum');
  const least = numberIn(schema, 'minimum') ?? (above === undefined ? undefined : above + 1);
  if (least !== undefined) return least;
  return max !== undefined && max < 1 ? max : 1;
}

function numberIn(schema: JsonObject, key: string): number | undefined {
  const value = schema[key];
  return typeof value === 'number' ? value : undefined;
}
