import { lookup as resolveName } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type OpenAI from 'openai';
import type { RequestInit as UndiciInit } from 'undici';
import type { Project } from '../definitions/formats/project.js';
import { isAddressAllowed, isHostAllowed, portOf } from '../rules/calls/allowed-hosts.js';

/** An OpenAI-compatible endpoint, and the hosts that it may be at. */
export interface ModelEndpoint {
  /** Includes the path of the request. */
  url: URL;
  /** Sent as bearer token; never printed. */
  key?: string;
  /** In the format of `policy.allowed_hosts`. */
  allowed: readonly string[];
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

/** Checks an IP address in the URL, for which no DNS lookup happens. @throws EndpointDenied. */
export function refuseLiteral({ url, allowed }: ModelEndpoint): void {
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(literal) && !isAddressAllowed(literal, url, allowed)) throw denied(url);
}

/** A DNS lookup that drops addresses which the policy denies; fails with EndpointDenied if none is left. */
export function guardedLookup({ url, allowed }: ModelEndpoint): LookupFunction {
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

/** Loads its packages on first use. Does not follow redirects: they could lead to denied hosts. */
export async function connectToModel(model: ModelEndpoint, { timeoutMs, maxBytes }: ModelLimits): Promise<OpenAI> {
  const [{ default: OpenAI }, { Agent, fetch }] = await Promise.all([import('openai'), import('undici')]);
  const dispatcher = new Agent({
    maxResponseSize: maxBytes,
    // The library's own limits are five minutes; a reasoning model may take longer.
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { lookup: guardedLookup(model) },
  });
  return new OpenAI({
    baseURL: model.url.href,
    apiKey: model.key ?? 'none',
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: 'off',
    fetch: (url, init) => {
      const request = { ...init, dispatcher, redirect: 'manual' } as unknown as UndiciInit;
      return fetch(String(url), request) as unknown as Promise<Response>;
    },
    ...(!model.key && { defaultHeaders: { authorization: null } }),
  });
}

/** Words of letters, so neither a key nor a text for an AI. */
const SHORT_CODE = /^(?=.{3,48}$)[A-Za-z]+(?:_[A-Za-z]+)*$/;

/** What an endpoint answered in place of a result, such as `429 (insufficient_quota)`; undefined: nothing. */
export function answeredWith(error: unknown): string | undefined {
  const { status, code, type } = error as { status?: unknown; code?: unknown; type?: unknown };
  const short = [code, type].find((one) => typeof one === 'string' && SHORT_CODE.test(one));
  return status === undefined || short === undefined ? (short ?? status)?.toString() : `${status} (${short})`;
}

/** No full stop. Omits network messages and bodies, which could hold the key, or text meant for an AI. */
export function whyUnanswered(error: unknown, { host }: URL): string {
  const denial = denialIn(error);
  if (denial) return `The model was not asked: ${denial.message}`;
  const answer = answeredWith(error);
  if (answer) return `The request to the model failed: ${host} answered ${answer}`;
  return `The request to the model failed: ${host} was not reached, or its answer cannot be read`;
}

function denied({ host }: URL): EndpointDenied {
  return new EndpointDenied(`\`policy.allowed_hosts\` in ability.yaml does not list the address of ${host}`);
}
