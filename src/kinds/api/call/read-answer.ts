import { TextDecoder } from 'node:util';
import type { Dispatcher } from 'undici';
import { CallFailure } from '../../../activities/call/call-failure.js';
import type { CallInput } from '../../../activities/call/call-input.js';
import type { PlanApiResponse } from '../../../contracts/api.js';
import { isJsonObject, type Json, type JsonObject } from '../../../contracts/json.js';
import { AbilityError } from '../../../contracts/problem.js';
import { refuseUnsafeKeys } from '../../../rules/unsafe-keys.js';
import { attempt, unlessRefused } from '../../../text/attempt.js';
import { endingOf, safeFileName } from '../../../text/file-name.js';
import type { Reading } from '../../../text/lossless-json/marked-json.js';
import { integersOf, readJson, readUtf8 } from '../../../text/lossless-json/read-json.js';

export interface WholeAnswer {
  status: number;
  headers: Dispatcher.ResponseData['headers'];
  bytes: Buffer;
  /** URL of the answer, after all redirects. */
  url: URL;
}

/** Body or `{ status, body, headers }`. @throws CallFailure `api.output_invalid`. */
export function readAnswer(answer: WholeAnswer, response: PlanApiResponse | undefined, call: CallInput): Json {
  return wrapBody(answer, readBody(answer, response, call), response);
}

/** A body as output, with the status and the headers if the definition requests them. */
export function wrapBody(
  answer: Pick<WholeAnswer, 'status' | 'headers'>,
  body: Json,
  response: PlanApiResponse | undefined,
): Json {
  if (!isWrapped(response)) return body;
  const { status, headers } = response;
  return { ...(status && { status: answer.status }), body, ...(headers && { headers: pickHeaders(answer, headers) }) };
}

function isWrapped(response: PlanApiResponse | undefined): response is PlanApiResponse {
  return response !== undefined && (response.headers !== undefined || response.status === true);
}

/** Headers under the names of the definition; missing ones are left out. */
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
  const type = String(answer.headers['content-type'] ?? '');
  if (as === 'base64') return { base64: bytes.toString('base64') };
  const reading: Reading = {
    integers: integersOf(response?.big_integers),
    code: 'api.output_invalid',
    what: `The answer of ${url.host}`,
  };
  const text = decodeAnswer(bytes, type, reading);
  if (as === 'text') return { text };
  if (text === '') return null;
  const value = parseJson(text, reading);
  const isJson = as === 'json' || /[/+]json\b/i.test(type) || (value !== null && typeof value === 'object');
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
    ...(!isJson && { suggestion: 'To accept text, set `response: { as: text }`.' }),
  });
}

/** An HTML login page must not pass as a user: with a schema, text is accepted only where the schema allows it. */
function expectsText(schema: JsonObject | null): boolean {
  return !schema || (isJsonObject(schema.properties) && Object.hasOwn(schema.properties, 'text'));
}

/** Schema of the body within that of an output `{ body, .. }`; without one for the body, text is not expected. */
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

/**
 * Decodes an answer by its charset, else as UTF-8. @param type the header `content-type`. @throws AbilityError
 * `api.output_invalid` for an unknown charset or invalid bytes.
 */
function decodeAnswer(bytes: Buffer, type: string, reading: Reading): string {
  const charset = /charset="?([^\s;"]+)/i.exec(type)?.[1] ?? 'utf-8';
  const decoder = attempt(() => new TextDecoder(charset, { fatal: true }));
  if (decoder === undefined) {
    throw refused(reading, `declares the charset ${charset}, which is not supported`);
  }
  if (decoder.encoding === 'utf-8') {
    return unlessRefused(
      () => readUtf8(withoutMark(bytes), reading),
      (refusal) => {
        throw new AbilityError({ ...refusal.toProblem(), suggestion: HINT }, { cause: refusal });
      },
    );
  }
  try {
    return decoder.decode(bytes);
  } catch {
    throw refused(reading, `declares the charset ${charset}, but is not encoded in it`);
  }
}

/** Removes the UTF-8 byte order mark that some Windows programs add, as decoders do. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

const HINT = 'The service should name its `charset` in content-type; for bytes write `response: { as: base64 }`.';

function refused({ code, what }: Reading, fault: string): AbilityError {
  return new AbilityError({ code, message: `${what} ${fault}`, suggestion: HINT });
}

/** The service's `content-disposition` name, else the last part of the address. Source: RFC 6266. */
export function answerName(
  disposition: string | string[] | undefined,
  url: URL,
  mediaType: string | undefined,
): string {
  const given = typeof disposition === 'string' ? nameGiven(disposition) : undefined;
  if (given) return safeFileName(given.slice(given.lastIndexOf('/') + 1));
  const last = decoded(url.pathname.slice(url.pathname.lastIndexOf('/') + 1)) ?? '';
  if (last !== '') return safeFileName(last);
  return `answer${endingOf(mediaType ?? '')}`;
}

function nameGiven(header: string): string | undefined {
  const [, extended] = /\bfilename\*\s*=\s*UTF-8'[^']*'([^;\s]+)/i.exec(header) ?? [];
  if (extended !== undefined) return decoded(extended);
  const [, quoted, token] = /\bfilename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))/i.exec(header) ?? [];
  return quoted === undefined ? token : quoted.replaceAll(/\\(.)/g, '$1');
}

function decoded(text: string): string | undefined {
  return attempt(() => decodeURIComponent(text));
}
