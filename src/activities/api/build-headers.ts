import { validateHeaderValue } from 'node:http';
import type { PlanApiParam, PlanApiResponse } from '../../contracts/api.js';
import type { Json } from '../../contracts/json.js';
import type { ApiImplementation } from '../../contracts/plan.js';
import { cookieNames } from '../../definitions/formats/api-faults.js';
import type { Scope } from '../../rules/expressions/evaluate.js';
import { evaluateOptional } from '../../rules/expressions/template.js';
import type { CallInput } from '../call/call-input.js';
import { joinPairs, ownPairs } from './build-query.js';
import { credentialOf, markCredentials } from './credentials.js';
import { paramsIn } from './distribute-input.js';
import { flatOf, inputOf, partsOf, unusable } from './write-values.js';

/** Headers by their lowercase names. */
export interface Headers {
  headers: Record<string, string>;
  /** Names of the headers that are never sent to another host. */
  secret: string[];
}

/**
 * Builds the headers: ours, the definition's, the inputs assigned to them, and cookies. @throws CallFailure
 * `input.invalid` for a value that breaks its header; AbilityError `config.missing_credential`.
 */
export function buildHeaders(api: ApiImplementation['api'], call: CallInput, scope: Scope): Headers {
  const headers: Record<string, string> = {
    accept: acceptOf(api.response),
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

function acceptOf(response: PlanApiResponse | undefined): string {
  const { as } = response ?? {};
  return as === 'text' || as === 'base64' || as === 'file' ? '*/*' : 'application/json';
}

/** Headers are not escaped, so an item may not contain the separator; JSON is kept to ASCII. */
function headerText(key: string, { style, explode }: PlanApiParam, value: Json): string | undefined {
  if (value === null) return undefined;
  if (style === 'json') return JSON.stringify(value).replaceAll(/[^ -~]/g, inAscii);
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

function inAscii(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
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
