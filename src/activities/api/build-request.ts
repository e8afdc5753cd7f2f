import type { ApiImplementation } from '../../contracts/plan.js';
import type { CallInput } from '../call-input.js';
import { basicHeader, type SecretQuery, secretQueryOf, withSecrets } from './build-auth.js';
import { buildBody } from './build-body.js';
import { buildHeaders } from './build-headers.js';
import { buildPath } from './build-path.js';
import { buildQuery } from './build-query.js';
import { distributeInput } from './distribute-input.js';
import type { FileBody } from './file-body.js';

/** An HTTP request ready to be sent. */
export interface ApiRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  /** Names of headers that hold a credential and so never go to another host. */
  secretHeaders: string[];
  /** Parameters of the address that hold a credential, and so never go to another host either. */
  secretQuery: SecretQuery[];
  body: string | Buffer | FileBody | undefined;
}

/**
 * Builds the request of a call: input to path, query, headers, cookies and body as docs/api-calls.md says.
 *
 * @throws CallFailure `input.invalid` for what cannot be sent, AbilityError `config.missing_credential`.
 */
export function buildRequest({ api }: ApiImplementation, call: CallInput): ApiRequest {
  const { input } = call;
  const scope = { cel: call.cel, values: { input, environment: { ...call.environment } } };
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
