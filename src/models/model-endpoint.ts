import { lookup as resolveName } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Agent, Dispatcher } from 'undici';
import type { Project } from '../definitions/formats/project.js';
import { isAddressAllowed, isHostAllowed, portOf } from '../rules/calls/allowed-hosts.js';
import { parseDuration } from '../rules/duration.js';

/** An OpenAI-compatible endpoint, and the hosts that it may be at. */
export interface ModelEndpoint {
  /** Includes the path of the request. */
  url: URL;
  /** Sent as bearer token; never printed. */
  key?: string;
  /** In the format of `policy.allowed_hosts`. */
  allowed: readonly string[];
}

export interface NamedModel extends ModelEndpoint {
  model: string;
  /** For all that is needed for one answer. Milliseconds. */
  timeoutMs: number;
}

/** As {@link modelEndpoint}, with a model that a project has configured. */
export function namedModel(
  path: string,
  { model, timeout }: { model: string; timeout: string },
  policy: Pick<Project['policy'], 'allowed_hosts'>,
  env: NodeJS.ProcessEnv,
): NamedModel | string {
  const endpoint = modelEndpoint(path, policy, env);
  return typeof endpoint === 'string' ? endpoint : { ...endpoint, model, timeoutMs: parseDuration(timeout) };
}

/** `policy.allowed_hosts` denies the address. The message is one sentence without a full stop. */
export class EndpointDenied extends Error {
  override readonly name = 'EndpointDenied';
}

const USUAL_BASE = 'https://api.openai.com/v1';

/**
 * From the environment only: a project just cloned cannot send requests, or the key, to a host of its own. The
 * policy of hosts applies as well. Source: C-49; decision 0003.
 * @param path such as `embeddings`; empty: the base itself. @returns a sentence without a full stop if none.
 */
export function modelEndpoint(
  path: string,
  policy: Pick<Project['policy'], 'allowed_hosts'>,
  env: NodeJS.ProcessEnv,
): ModelEndpoint | string {
  const { OPENAI_BASE_URL, OPENAI_API_KEY: key } = env;
  const base = OPENAI_BASE_URL || (key ? USUAL_BASE : undefined);
  if (!base) return 'neither OPENAI_BASE_URL nor OPENAI_API_KEY is set';
  const url = endpointOf(base, path);
  if (!url) return 'OPENAI_BASE_URL must be an http address without a user name, a query and a fragment';
  const allowed = policy.allowed_hosts ?? [`${url.hostname}:${portOf(url)}`];
  if (!isHostAllowed(url, allowed)) return `\`policy.allowed_hosts\` in ability.yaml does not allow ${url.host}`;
  return { url, ...(key && { key }), allowed };
}

function endpointOf(base: string, path: string): URL | undefined {
  if (!/^https?:\/\//i.test(base) || !URL.canParse(base)) return undefined;
  const url = new URL(base);
  if (url.username || url.password || url.search || url.hash) return undefined;
  url.pathname = [url.pathname.replace(/\/+$/, ''), path].filter(Boolean).join('/');
  return url;
}

/** A DNS lookup that drops addresses which the policy denies; fails with EndpointDenied if none is left. */
function guardedLookup({ url, allowed }: ModelEndpoint): LookupFunction {
  return (hostname, options, done) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '', 0);
      const usable = addresses.filter(({ address }) => isAddressAllowed(address, url, allowed));
      const [first] = usable;
      if (!first) return done(denied(url), '', 0);
      return options.all ? done(null, usable) : done(null, first.address, first.family);
    });
  };
}

export function denialIn(error: unknown): EndpointDenied | undefined {
  for (let one: unknown = error; one instanceof Error; one = one.cause) if (one instanceof EndpointDenied) return one;
  return undefined;
}

export interface ModelLimits {
  /** For one request. Milliseconds. */
  timeoutMs: number;
  maxBytes: number;
}

/** What an endpoint answered in place of a result. The error in its body is read by `answeredWith` only. */
export class EndpointRefusal extends Error {
  override readonly name = 'EndpointRefusal';
  /** @param status undefined: in the middle of a stream. */
  constructor(
    readonly status: number | undefined,
    readonly headers: Record<string, string | string[] | undefined>,
    readonly body: unknown,
  ) {
    super(`answered ${status}`);
  }
}

/** Sends a body as JSON. @throws EndpointRefusal; EndpointDenied, also as a cause; errors of the network. */
export type Post = (body: object, signal: AbortSignal) => Promise<Dispatcher.ResponseData>;

/** One for the same endpoint and limits. */
const agents = new Map<string, Agent>();

/** Loads its package on first use, and keeps connections. No retries, and no redirects, which could lead to denied hosts. */
export function postTo(model: ModelEndpoint, { timeoutMs, maxBytes }: ModelLimits): Post {
  const name = JSON.stringify([model.url, model.allowed, timeoutMs, maxBytes]);
  return async (body, signal) => {
    const { Agent, request } = await import('undici');
    const agent =
      agents.get(name) ??
      new Agent({
        maxResponseSize: maxBytes,
        // The usual limits are five minutes; a reasoning model may take longer.
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        connect: { lookup: guardedLookup(model) },
      });
    agents.set(name, agent);
    // For an IP address no name is looked up.
    const literal = model.url.hostname.replace(/^\[|\]$/g, '');
    if (ipaddr.isValid(literal) && !isAddressAllowed(literal, model.url, model.allowed)) throw denied(model.url);
    const answer = await request(model.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(model.key && { authorization: `Bearer ${model.key}` }) },
      body: JSON.stringify(body),
      dispatcher: agent,
      signal,
    });
    const { statusCode: status, headers, body: said } = answer;
    if (status >= 200 && status < 300) return answer;
    throw new EndpointRefusal(status, headers, await said.json().catch(() => undefined));
  };
}

/** Short codes of a quota that no wait renews. */
const USED_UP = /quota|balance|billing|credit/i;

export function isQuotaUsedUp(error: unknown): boolean {
  return USED_UP.test(answeredWith(error) ?? '');
}

/** The error code of a span: the HTTP status, or a word if there was none. */
export function spanCodeOf(error: unknown, { aborted }: AbortSignal): string {
  if (aborted) return 'timeout';
  return error instanceof EndpointRefusal ? String(error.status) : 'unavailable';
}

/** Words of letters, so neither a key nor a text for an AI. */
const SHORT_CODE = /^(?=.{3,48}$)[A-Za-z]+(?:_[A-Za-z]+)*$/;

/** What an endpoint answered in place of a result, such as `429 (insufficient_quota)`; undefined: nothing. */
export function answeredWith(error: unknown): string | undefined {
  if (!(error instanceof EndpointRefusal)) return undefined;
  const { status, body } = error;
  const { code, type } = (body as { error?: { code?: unknown; type?: unknown } } | undefined | null)?.error ?? {};
  const short = [code, type].find((one) => typeof one === 'string' && SHORT_CODE.test(one));
  return status === undefined || short === undefined ? (short ?? status)?.toString() : `${status} (${short})`;
}

/** No full stop. Omits network messages and bodies, which could hold the key, or text meant for an AI. */
export function whyUnanswered(error: unknown, { host }: URL): string {
  const denial = denialIn(error);
  if (denial) return `The model was not asked: ${denial.message}`;
  const answer = answeredWith(error);
  const said = answer ? `answered ${answer}` : 'was not reached, or its answer cannot be read';
  return `The request to the model failed: ${host} ${said}`;
}

function denied({ host }: URL): EndpointDenied {
  return new EndpointDenied(`\`policy.allowed_hosts\` in ability.yaml does not list the address of ${host}`);
}
