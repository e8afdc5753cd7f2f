import type { PlanApiBody, PlanApiParam } from '../../contracts/api.js';
import { isFileValue } from '../../contracts/files.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { ApiImplementation } from '../../contracts/plan.js';
import type { Scope } from '../../rules/expressions/evaluate.js';
import { evaluateOptional } from '../../rules/expressions/template.js';
import { type FileBody, readInlineFile, writeMultipart } from './body-parts.js';
import { joinPairs, ownPairs, plainPairs } from './build-query.js';
import { paramsIn } from './distribute-input.js';
import { inputOf, unusable } from './write-values.js';

export interface Body {
  content: string | Buffer | FileBody;
  contentType: string;
}

/**
 * The definition's value, or the inputs assigned to the body and the unassigned ones; undefined: nothing to send.
 * @throws CallFailure `input.invalid` for a value that the body type cannot represent.
 */
export function buildBody(
  api: ApiImplementation['api'],
  input: JsonObject,
  rest: JsonObject,
  scope: Scope,
): Body | undefined {
  const body = api.body ?? {};
  if (body.value !== undefined) {
    const value = evaluateOptional(body.value, scope);
    return value === undefined ? undefined : writeBody(body, value, {});
  }
  const params = Object.fromEntries(paramsIn('body', api.params ?? {}));
  const fields = fieldsOf(params, input, rest);
  return Object.keys(fields).length > 0 || body.required ? writeBody(body, fields, params) : undefined;
}

/** Fields by their names in the request. Null values stay: in JSON they have a meaning. */
function fieldsOf(params: Record<string, PlanApiParam>, input: JsonObject, rest: JsonObject): JsonObject {
  const fields = new Map<string, Json>();
  const given = new Set(Object.values(params).map(({ name }) => name));
  for (const [name, value] of Object.entries(rest)) {
    if (given.has(name)) throw unusable(name, 'would give a field of the body a second value');
    fields.set(name, value);
  }
  for (const [key, { name }] of Object.entries(params)) {
    if (Object.hasOwn(input, key)) fields.set(name, inputOf(input, key));
  }
  return Object.fromEntries(fields);
}

function writeBody(body: PlanApiBody, value: Json, params: Record<string, PlanApiParam>): Body | undefined {
  const { type = 'json', content_type } = body;
  if (type === 'json') return { content: JSON.stringify(value), contentType: content_type ?? 'application/json' };
  if (value === null) return undefined;
  if (type === 'binary') {
    if (isFileValue(value)) {
      return { content: { parts: [value] }, contentType: content_type ?? value.media_type };
    }
    const file = readInlineFile('body.value', value);
    return { content: file.bytes, contentType: content_type ?? file.contentType ?? 'application/octet-stream' };
  }
  if (type === 'text') {
    if (typeof value === 'object') throw unusable('body.value', 'is a list or map, and the body is text');
    return { content: String(value), contentType: content_type ?? 'text/plain; charset=utf-8' };
  }
  if (!isJsonObject(value)) {
    throw unusable('body.value', `is no map, and the fields of a ${type} body have names`);
  }
  if (type === 'multipart') return writeMultipart(value, content_type);
  return { content: writeForm(value, params), contentType: content_type ?? 'application/x-www-form-urlencoded' };
}

function writeForm(fields: JsonObject, params: Record<string, PlanApiParam>): string {
  const byName = new Map(Object.entries(params).map(([key, param]) => [param.name, { key, param }]));
  const given = new Set(Object.keys(fields));
  const pairs = Object.entries(fields).flatMap(([name, value]) => {
    const said = byName.get(name);
    return said ? ownPairs(said.key, said.param, value, given) : plainPairs(name, value);
  });
  return joinPairs(pairs, '&');
}
