import { validateHeaderValue } from 'node:http';
import type { Dispatcher } from 'undici';
import { CallFailure } from '../../../activities/call/call-failure.js';
import type { CallInput } from '../../../activities/call/call-input.js';
import {
  basicHeader,
  credentialOf,
  formsOf,
  markCredentials,
  type SecretQuery,
  secretQueryOf,
  withSecrets,
} from '../../../activities/connections/credentials.js';
import type { ApiPlace, PlanApiBody, PlanApiParam } from '../../../contracts/api.js';
import { isFileValue } from '../../../contracts/files.js';
import { isJsonObject, type Json, type JsonObject } from '../../../contracts/json.js';
import type { ApiImplementation } from '../../../contracts/plan.js';
import { cookieNames } from '../../../definitions/formats/api-faults.js';
import type { Scope } from '../../../rules/expressions/evaluate.js';
import { evaluateOptional, expressionsIn } from '../../../rules/expressions/template.js';
import { escapeUnits } from '../../../rules/shown-text.js';
import { type FileBody, readInlineFile, writeMultipart } from './body-parts.js';
import { buildPath, inputsOfPath } from './build-path.js';
import { encode, flatOf, inputOf, type Pair, partsOf, unusable, writePairs } from './write-values.js';

export interface ApiRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  /** Names of headers that hold a credential and so never go to another host. */
  secretHeaders: string[];
  /** Query parameters that hold a credential, and so never go to another host either. */
  secretQuery: SecretQuery[];
  body: string | Buffer | FileBody | undefined;
}

/** @throws CallFailure `input.invalid`; AbilityError `config.missing_credential`. */
export function buildRequest({ api }: ApiImplementation, call: CallInput): ApiRequest {
  const { input } = call;
  const scope = { values: { input, environment: { ...call.environment } } };
  const unnamed = distributeInput(api, call);
  const path = buildPath(api.path, input, api.params ?? {});
  const query = buildQuery(api, input, unnamed.query, scope);
  const { headers, secret } = buildHeaders(api, call, scope);
  const body = buildBody(api, input, unnamed.body, scope);
  if (body) headers['content-type'] ??= body.contentType;
  const basic = basicHeader(api, call);
  if (basic !== undefined) headers.authorization = basic;
  const secretQuery = secretQueryOf(api, call);
  const url = withSecrets(addressOf(api.base_url, path, query), secretQuery);
  return { method: api.method, url, headers, secretHeaders: secret, secretQuery, body: body?.content };
}

/** A base may have a path and a query of its own. */
function addressOf(base: string, path: string, query: string): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
  if (query !== '') url.search = [url.search.slice(1), query].filter((text) => text !== '').join('&');
  return url;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The request of a redirect; undefined if the answer is none. Credentials stay with their host: their headers and
 * parameters are removed for another one.
 * @throws CallFailure `denied.host` if another host's address still contains a credential.
 */
export function followRedirect(answer: Dispatcher.ResponseData, from: ApiRequest): ApiRequest | undefined {
  const { location } = answer.headers;
  if (!REDIRECTS.has(answer.statusCode) || typeof location !== 'string') return undefined;
  if (!URL.canParse(location, from.url.href)) return undefined;
  const next = readdress(new URL(location, from.url), from);
  const keepsMethod = answer.statusCode >= 307 || from.method === 'GET' || from.method === 'HEAD';
  if (keepsMethod) return next;
  const { 'content-type': _, ...headers } = next.headers;
  return { ...next, headers, method: 'GET', body: undefined };
}

function readdress(url: URL, from: ApiRequest): ApiRequest {
  if (url.origin === from.url.origin) return { ...from, url: withSecrets(url, from.secretQuery) };
  const headers = Object.fromEntries(
    Object.entries(from.headers).filter(([name]) => !from.secretHeaders.includes(name)),
  );
  for (const { name } of from.secretQuery) url.searchParams.delete(name);
  if (from.secretQuery.some(({ value }) => formsOf(value).some((form) => url.href.includes(form)))) {
    throw new CallFailure({
      code: 'denied.host',
      message: `${from.url.host} redirects to ${url.host} with the credential in the address`,
      suggestion: 'Call the service that it redirects to, with a credential of its own.',
    });
  }
  return { ...from, url, headers, secretQuery: [] };
}

interface Body {
  content: string | Buffer | FileBody;
  contentType: string;
}

/**
 * The definition's value, or the inputs assigned to the body and the unassigned ones; undefined: nothing to send.
 * @throws CallFailure `input.invalid` for a value that the body type cannot represent.
 */
function buildBody(api: ApiImplementation['api'], input: JsonObject, rest: JsonObject, scope: Scope): Body | undefined {
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

/** Headers by their lowercase names. */
interface Headers {
  headers: Record<string, string>;
  /** Names of the headers that are never sent to another host. */
  secret: string[];
}

/**
 * Builds the headers: ours, the definition's, the inputs assigned to them, and cookies. @throws CallFailure
 * `input.invalid` for a value that breaks its header; AbilityError `config.missing_credential`.
 */
function buildHeaders(api: ApiImplementation['api'], call: CallInput, scope: Scope): Headers {
  const headers: Record<string, string> = {
    accept: ['text', 'base64', 'file'].includes(api.response?.as ?? '') ? '*/*' : 'application/json',
    'idempotency-key': call.idempotencyKey,
    ...(call.trace !== undefined && { traceparent: call.trace }),
  };
  const secret = ['authorization', 'cookie', 'proxy-authorization'];
  const put = (name: string, value: string): void => {
    refuseBadHeader(name, value);
    headers[name.toLowerCase()] = value;
  };
  for (const [name, template] of Object.entries(api.headers)) {
    const { text, secrets } = markCredentials(template);
    const value = evaluateOptional(text, scope) ?? null;
    if (value === null) continue;
    if (typeof value === 'object') throw unusable(name, 'is a header, which holds text');
    let filled = String(value);
    for (const [mark, credential] of secrets) {
      filled = filled.replaceAll(mark, () => credentialOf(credential, api.credentials, call));
    }
    if (secrets.size > 0) secret.push(name.toLowerCase());
    put(name, filled);
  }
  for (const [key, param] of paramsIn('header', api.params ?? {})) {
    const text = headerText(key, param, inputOf(call.input, key));
    if (text !== undefined) put(param.name, text);
  }
  const cookies = buildCookies(api, call);
  if (cookies) put('cookie', headers.cookie ? `${headers.cookie}; ${cookies}` : cookies);
  return { headers, secret };
}

/** Headers are not escaped, so an item may not contain the separator; JSON is kept to ASCII. */
function headerText(key: string, { style, explode }: PlanApiParam, value: Json): string | undefined {
  if (value === null) return undefined;
  if (style === 'json') return JSON.stringify(value).replaceAll(/[^ -~]/g, escapeUnits);
  const parts = partsOf(key, value);
  if (!parts) return undefined;
  if (parts.kind === 'one') return parts.text;
  const items = flatOf(parts);
  if (items.some((item) => item.includes(','))) {
    throw unusable(key, 'contains a comma, which separates the items of a header', 'Set `style: json` in `params`.');
  }
  if (parts.kind === 'map' && explode) return parts.entries.map((pair) => pair.join('=')).join(',');
  return items.join(',');
}

/** One pair per cookie, even for an exploded list: no server reads `&` between cookies. */
function buildCookies({ params = {}, headers }: ApiImplementation['api'], { input }: CallInput): string {
  const sent = paramsIn('cookie', params);
  const written = Object.entries(headers).flatMap(([name, template]) => cookieNames(name, template));
  const given = new Set([...written, ...sent.map(([, { name }]) => name)]);
  return joinPairs(
    sent.flatMap(([key, param]) => ownPairs(key, param, inputOf(input, key), given)),
    '; ',
  );
}

function refuseBadHeader(name: string, value: string): void {
  try {
    validateHeaderValue(name.toLowerCase(), value);
  } catch {
    throw unusable(name, 'is a header, which cannot hold such characters');
  }
}

/**
 * The definition's values, the inputs assigned to the query, and `rest`, the unassigned inputs.
 * @throws CallFailure `input.invalid` for a value that cannot be written, or an input whose name is already used.
 */
export function buildQuery(
  { query, params = {}, auth }: ApiImplementation['api'],
  input: JsonObject,
  rest: JsonObject,
  scope: Scope,
): string {
  const written = Object.entries(query).flatMap(([name, template]) =>
    plainPairs(name, evaluateOptional(template, scope) ?? null),
  );
  const sent = paramsIn('query', params);
  const given = new Set([
    ...Object.keys(query),
    ...Object.keys(auth?.query ?? {}),
    ...sent.map(([, { name }]) => name),
  ]);
  const named = sent.flatMap(([key, param]) => ownPairs(key, param, inputOf(input, key), given));
  const others = Object.entries(rest).flatMap(([name, value]) => {
    if (given.has(name)) throw unusable(name, 'would give a parameter of the query a second value');
    return plainPairs(name, value);
  });
  return joinPairs([...written, ...named, ...others], '&');
}

/** The pairs of one parameter; names derived from its value must not collide with those of others. */
export function ownPairs(key: string, param: PlanApiParam, value: Json, given: ReadonlySet<string>): Pair[] {
  const pairs = writePairs(param, value);
  const other = pairs.find(({ name }) => name !== param.name && given.has(name));
  if (other) throw unusable(key, `would give ${other.name} a second value`);
  return pairs;
}

/** Without a style, lists repeat (`a=1&a=2`), and maps are refused, since they have no agreed form. */
export function plainPairs(name: string, value: Json): Pair[] {
  const items = Array.isArray(value) ? value : [value];
  if (items.some((item) => item !== null && typeof item === 'object')) {
    const suggestion = 'Set its `style` in `params`: `deepObject`, `form` or `json`.';
    throw unusable(name, 'is a map or a nested list, which a query or form cannot hold', suggestion);
  }
  return writePairs({ in: 'query', name, style: 'form', explode: true }, value);
}

export function joinPairs(pairs: readonly Pair[], between: string): string {
  return pairs.map(({ name, value }) => `${encode(name, name)}=${value}`).join(between);
}

/** Methods whose unnamed input goes to the query. */
const TO_THE_QUERY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

export interface UnnamedInput {
  query: JsonObject;
  body: JsonObject;
}

/** Unnamed inputs go to the body, or without one to the query of a GET or the like; `body.value` drops them. */
export function distributeInput(api: ApiImplementation['api'], { input }: CallInput): UnnamedInput {
  const { params = {}, body } = api;
  const used = new Set([
    ...referencesIn([api.query, api.headers, body?.value ?? null]),
    ...inputsOfPath(api.path, params),
    ...Object.keys(params),
  ]);
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !used.has(name)));
  if (body?.value !== undefined) return { query: {}, body: {} };
  const toQuery = body === null && TO_THE_QUERY.has(api.method);
  return toQuery ? { query: rest, body: {} } : { query: {}, body: rest };
}

export function paramsIn(place: ApiPlace, params: Record<string, PlanApiParam>): [string, PlanApiParam][] {
  return Object.entries(params).filter(([, param]) => param.in === place);
}

/** Names of inputs that templates read, so that they are not sent twice. */
function referencesIn(templates: Json[]): string[] {
  return templates
    .flatMap((template) => expressionsIn(template))
    .flatMap(({ references }) => references.filter(({ name }) => name === 'input').map(({ path }) => path[0] ?? ''));
}
