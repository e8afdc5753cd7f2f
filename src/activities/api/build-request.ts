import { randomUUID } from 'node:crypto';
import { validateHeaderValue } from 'node:http';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { ApiImplementation } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { evaluateTemplate, expressionsIn } from '../../rules/expressions/template.js';
import { CallFailure } from '../call-failure.js';
import type { CallInput } from '../call-input.js';

/** An HTTP request ready to be sent. */
export interface ApiRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  /** Names of headers that hold a credential and so never go to another host. */
  secretHeaders: string[];
  body: string | undefined;
}

/** Who resolves secrets, and hides them in what is printed. */
type SecretUser = Pick<CallInput, 'secrets' | 'log'>;

const CREDENTIAL = /\{credential:([^}]*)\}/g;

/** Methods whose input goes to the query, because they have no body. */
const WITHOUT_BODY = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

/**
 * Builds the request of a call: input to path, query and body as answers, 26, says.
 *
 * @throws CallFailure `input.invalid` for what cannot be sent, AbilityError `config.missing_credential`.
 */
export function buildRequest({ api }: ApiImplementation, call: CallInput): ApiRequest {
  const scope = { values: { input: call.input, environment: { ...call.environment } } };
  const url = new URL(api.base_url);
  const used = new Set<string>(referencesIn([api.query, api.headers, api.body?.value ?? null]));
  const path = expandPath(api.path, call.input, used);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${path.startsWith('/') ? path : `/${path}`}`;
  for (const [name, template] of Object.entries(api.query)) {
    appendQuery(url, name, evaluateTemplate({ value: template }, scope) as JsonObject);
  }
  const rest = Object.fromEntries(Object.entries(call.input).filter(([name]) => !used.has(name)));
  const { headers, secretHeaders } = buildHeaders(api, call, scope);
  let body: string | undefined;
  if (api.body) body = JSON.stringify(evaluateTemplate(api.body.value, scope));
  else if (WITHOUT_BODY.has(api.method)) {
    for (const [name, value] of Object.entries(rest)) appendQuery(url, name, { value });
  } else if (Object.keys(rest).length > 0) body = JSON.stringify(rest);
  if (body !== undefined) headers['content-type'] ??= 'application/json';
  return { method: api.method, url, headers, secretHeaders, body };
}

/** Names of the input that templates read, so that they are not sent a second time. */
function referencesIn(templates: Json[]): string[] {
  return templates
    .flatMap(expressionsIn)
    .flatMap(({ references }) => references.filter(({ name }) => name === 'input').map(({ path }) => path[0] ?? ''));
}

/** RFC 6570 level 1, and `{+name}` which keeps slashes. */
function expandPath(template: string, input: JsonObject, used: Set<string>): string {
  return template.replaceAll(/\{(\+?)([A-Za-z_][A-Za-z0-9_.-]*)\}/g, (_, keep: string, name: string) => {
    used.add(name);
    const value = input[name];
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw unusable(name, value === undefined ? 'is missing, and the path needs it' : 'cannot stand in a path');
    }
    const text = String(value);
    const segments = keep ? text.split('/') : [text];
    if (text === '' || segments.some((segment) => segment === '.' || segment === '..')) {
      throw unusable(name, 'would lead to another path');
    }
    return segments.map(encodeURIComponent).join('/');
  });
}

/** Lists repeat (`a=1&a=2`); an absent value leaves its parameter out; objects have no agreed form. */
function appendQuery(url: URL, name: string, { value }: JsonObject): void {
  if (value === undefined || value === null) return;
  for (const item of Array.isArray(value) ? value : [value]) {
    if (item === null) continue;
    if (typeof item === 'object') throw unusable(name, 'is a map or a nested list, which a query cannot hold');
    url.searchParams.append(name, String(item));
  }
}

function buildHeaders(
  api: ApiImplementation['api'],
  call: CallInput,
  scope: Parameters<typeof evaluateTemplate>[1],
): { headers: Record<string, string>; secretHeaders: string[] } {
  const headers: Record<string, string> = { accept: 'application/json', 'idempotency-key': call.idempotencyKey };
  const secretHeaders = ['authorization', 'cookie', 'proxy-authorization'];
  for (const [name, template] of Object.entries(api.headers)) {
    const key = name.toLowerCase();
    const { text, secrets } = markCredentials(template);
    const value = (evaluateTemplate({ value: text }, scope) as JsonObject).value ?? null;
    if (value === null) continue;
    if (typeof value === 'object') throw unusable(name, 'is a header, which holds text');
    let filled = String(value);
    for (const [mark, credential] of secrets) {
      filled = filled.replaceAll(mark, () => credentialOf(credential, api.credentials, call));
    }
    if (secrets.size > 0) secretHeaders.push(key);
    refuseBadHeader(key, filled);
    headers[key] = filled;
  }
  return { headers, secretHeaders };
}

/** Puts marks nobody can guess in place of `{credential:name}`, so that input which looks like one is none. */
function markCredentials(template: string): { text: string; secrets: Map<string, string> } {
  const secrets = new Map<string, string>();
  const text = template.replaceAll(CREDENTIAL, (_, name: string) => {
    const mark = randomUUID();
    secrets.set(mark, name);
    return mark;
  });
  return { text, secrets };
}

/** Replaces `{credential:name}`, resolving each one only now. */
export function fillCredentials(text: string, credentials: Record<string, string>, call: SecretUser): string {
  return text.replaceAll(CREDENTIAL, (_, name: string) => credentialOf(name, credentials, call));
}

function credentialOf(name: string, credentials: Record<string, string>, { secrets, log }: SecretUser): string {
  const reference = Object.hasOwn(credentials, name) ? credentials[name] : undefined;
  if (reference === undefined) {
    throw new AbilityError({ code: 'config.invalid', message: `The credential ${name} is not configured` });
  }
  const value = secrets.resolve(reference, `credential ${name}`);
  log.hide(value);
  return value;
}

function refuseBadHeader(name: string, value: string): void {
  try {
    validateHeaderValue(name, value);
  } catch {
    throw unusable(name, 'is a header, which cannot hold such characters');
  }
}

function unusable(name: string, why: string): CallFailure {
  return new CallFailure({ code: 'input.invalid', message: `\`${name}\` ${why}` });
}
