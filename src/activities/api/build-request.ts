import type { Dispatcher } from 'undici';
import type { ApiImplementation } from '../../contracts/plan.js';
import { CallFailure } from '../call/call-failure.js';
import type { CallInput } from '../call/call-input.js';
import type { FileBody } from './body-parts.js';
import { buildBody } from './build-body.js';
import { buildHeaders } from './build-headers.js';
import { buildPath } from './build-path.js';
import { buildQuery } from './build-query.js';
import { basicHeader, formsOf, type SecretQuery, secretQueryOf, withSecrets } from './credentials.js';
import { distributeInput } from './distribute-input.js';

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

/** @throws CallFailure `input.invalid`; AbilityError `config.missing_credential`. Source: docs/api-calls.md. */
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
 * parameters are removed for another one. Source: docs/operations.md#safety.
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
