import type { Dispatcher } from 'undici';
import { CallFailure } from '../call-failure.js';
import { withSecrets } from './build-auth.js';
import type { ApiRequest } from './build-request.js';
import { formsOf } from './credentials.js';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The request a redirect asks for; undefined when the answer is none.
 *
 * Credentials stay with their host: their headers and parameters are taken out for another one. Source: docs/operations.md#safety.
 *
 * @throws CallFailure `denied.host` where the address of another host holds a credential all the same.
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
