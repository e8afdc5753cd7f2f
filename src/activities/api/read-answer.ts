import type { Dispatcher } from 'undici';
import type { PlanApiResponse } from '../../contracts/api.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { isSinceEngine2 } from '../../rules/engine.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import { CallFailure } from '../call-failure.js';
import type { CallInput } from '../call-input.js';
import type { Reading } from '../exact/marked-json.js';
import { integersOf, readJson } from '../exact/read-json.js';
import { decodeAnswer } from './decode-answer.js';

/** An answer that came whole. */
export interface WholeAnswer {
  status: number;
  headers: Dispatcher.ResponseData['headers'];
  bytes: Buffer;
  /** Where it came from, after all redirects. */
  url: URL;
}

/**
 * What an answer gives as output: its body, or `{ status, body, headers }` with those of the two that are asked for.
 *
 * @throws CallFailure `api.output_invalid`. Source: docs/api-calls.md.
 */
export function readAnswer(answer: WholeAnswer, response: PlanApiResponse | undefined, call: CallInput): Json {
  return wrapBody(answer, readBody(answer, response, call), response);
}

/** A body as output, with the status and the headers beside it where the definition asks for these. */
export function wrapBody(
  answer: Pick<WholeAnswer, 'status' | 'headers'>,
  body: Json,
  response: PlanApiResponse | undefined,
): Json {
  if (!isWrapped(response)) return body;
  const { status, headers } = response;
  return { ...(status && { status: answer.status }), body, ...(headers && { headers: pickHeaders(answer, headers) }) };
}

/** Whether the output has more than the body. */
function isWrapped(response: PlanApiResponse | undefined): response is PlanApiResponse {
  return response !== undefined && (response.headers !== undefined || response.status === true);
}

/** Headers by the names that the definition writes; what the answer does not have is left out. */
function pickHeaders({ headers }: Pick<WholeAnswer, 'headers'>, wanted: readonly string[]): JsonObject {
  const picked: JsonObject = {};
  for (const name of wanted) {
    const value = headers[name.toLowerCase()];
    if (value !== undefined) picked[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return picked;
}

function readBody(answer: WholeAnswer, response: PlanApiResponse | undefined, call: CallInput): Json {
  const { bytes, url } = answer;
  const as = response?.as;
  const type = typeOf(answer);
  if (as === 'base64') return { base64: bytes.toString('base64') };
  const reading: Reading = {
    integers: integersOf(response?.big_integers, call.engine),
    code: 'api.output_invalid',
    what: `The answer of ${url.host}`,
  };
  if (as === 'text') return { text: decodeAnswer(bytes, type, reading) };
  const text = isSinceEngine2(call) ? decodeAnswer(bytes, type, reading) : bytes.toString('utf8');
  if (text === '') return null;
  const value = parseJson(text, reading);
  const isJson = as === 'json' || isJsonType(type) || (value !== null && typeof value === 'object');
  if (isJson && value !== undefined) {
    refuseUnsafeKeys(value, 'api.output_invalid');
    return value;
  }
  const schema = isWrapped(response) ? schemaOfBody(call.outputSchema) : call.outputSchema;
  if (!isJson && expectsText(schema)) return { text };
  const seen = call.log.excerpt(text, 200);
  throw new CallFailure({
    code: 'api.output_invalid',
    message: `${answer.url.host} answered with ${type || 'something'}, and its body is not JSON: ${seen}`,
    ...(!isJson && { suggestion: 'To take text, write `response: { as: text }`.' }),
  });
}

function typeOf({ headers }: WholeAnswer): string {
  return String(headers['content-type'] ?? '');
}

function isJsonType(type: string): boolean {
  return /[/+]json\b/i.test(type);
}

/** A page to log in on is no user: under a schema text passes only where the schema knows it. */
function expectsText(schema: JsonObject | null): boolean {
  return !schema || (isJsonObject(schema.properties) && Object.hasOwn(schema.properties, 'text'));
}

/** What the schema of an output `{ body, .. }` says of the body; one that says nothing of it knows no text. */
function schemaOfBody(schema: JsonObject | null): JsonObject | null {
  if (!schema) return null;
  const { properties } = schema;
  const body = isJsonObject(properties) && Object.hasOwn(properties, 'body') ? properties.body : {};
  return isJsonObject(body) ? body : {};
}

function parseJson(text: string, reading: Reading): Json | undefined {
  try {
    return readJson(text, reading);
  } catch (error) {
    if (error instanceof AbilityError) throw error;
    return undefined;
  }
}
