import { type Dispatcher, request } from 'undici';
import type { Json } from '../../contracts/json.js';
import type { ApiImplementation } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import { CallFailure } from '../call-failure.js';
import type { CallInput } from '../call-input.js';
import { type ApiRequest, buildRequest } from './build-request.js';
import { guardedAgent, refuseForbiddenUrl } from './guarded-agent.js';
import type { RateLimiter } from './rate-limit.js';

const MOST_REDIRECTS = 5;
const KEPT_OF_FAILURE = 2000;

/** Errors before anything was sent, so that nothing can have happened. */
const NOT_SENT = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** A gateway that says these may well have passed the request on. */
const UNCLEAR_STATUSES = new Set([502, 504]);

/**
 * Calls an HTTP service.
 *
 * @throws CallFailure `http.<status>`, `unavailable.*`, `timeout.call`, `denied.host`, `api.output_invalid`. Source:
 * design, sections 4 and 12; answers, 24 and 26.
 */
export async function callApi(
  implementation: ApiImplementation,
  call: CallInput,
  { limiter }: { limiter: RateLimiter },
): Promise<Json> {
  const prepared = buildRequest(implementation, call);
  await limiter.take(implementation.id, implementation.api.rate_limit, call);
  const { answer, url } = await send(prepared, implementation.api.allowed_hosts, call);
  const text = await readBody(answer, call, url);
  if (answer.statusCode >= 300) throw badStatus(answer.statusCode, text, url, call);
  return parseBody(text, String(answer.headers['content-type'] ?? ''));
}

/** Sends a request and follows redirects, each to an allowed host; credentials never cross hosts. */
async function send(
  first: ApiRequest,
  allowed: string[],
  call: CallInput,
): Promise<{ answer: Dispatcher.ResponseData; url: URL }> {
  let current = first;
  for (let hop = 0; ; hop += 1) {
    refuseForbiddenUrl(current.url, allowed);
    const answer = await exchange(current, allowed, call);
    const next = redirectOf(answer, current);
    if (!next) return { answer, url: current.url };
    await answer.body.dump();
    if (hop === MOST_REDIRECTS) {
      const message = `${first.url.host} redirects more than ${MOST_REDIRECTS} times`;
      throw new CallFailure({ code: `http.${answer.statusCode}`, message });
    }
    current = next;
  }
}

async function exchange(prepared: ApiRequest, allowed: string[], call: CallInput): Promise<Dispatcher.ResponseData> {
  const { method, url, headers, body } = prepared;
  const started = performance.now();
  try {
    const answer = await request(url, {
      method: method as Dispatcher.HttpMethod,
      headers,
      body: body ?? null,
      dispatcher: guardedAgent(allowed),
      signal: limitOf(call),
      headersTimeout: call.timeoutMs,
      bodyTimeout: call.timeoutMs,
    });
    const ms = Math.round(performance.now() - started);
    call.log.add('request', `${method} ${url} -> ${answer.statusCode} (${ms} ms)`);
    return answer;
  } catch (error) {
    call.log.add('request', `${method} ${url} -> ${messageOf(error)}`);
    throw transportFailure(error, url, call);
  }
}

function limitOf(call: CallInput): AbortSignal {
  return AbortSignal.any([call.signal, AbortSignal.timeout(call.timeoutMs)]);
}

/** The request a redirect asks for; undefined when the answer is none. */
function redirectOf(answer: Dispatcher.ResponseData, from: ApiRequest): ApiRequest | undefined {
  const { location } = answer.headers;
  if (![301, 302, 303, 307, 308].includes(answer.statusCode) || typeof location !== 'string') return undefined;
  const url = new URL(location, from.url);
  const keepsMethod = answer.statusCode >= 307 || from.method === 'GET' || from.method === 'HEAD';
  const headers = { ...from.headers };
  if (url.origin !== from.url.origin) for (const name of from.secretHeaders) delete headers[name];
  if (keepsMethod) return { ...from, url, headers };
  delete headers['content-type'];
  return { ...from, url, headers, method: 'GET', body: undefined };
}

async function readBody(answer: Dispatcher.ResponseData, call: CallInput, url: URL): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer.body) {
      bytes += (chunk as Buffer).length;
      if (bytes > call.outputBytes) {
        const message = `The answer of ${url.host} is larger than the ${call.outputBytes} bytes an output may have`;
        throw new CallFailure({ code: 'output.too_large', message });
      }
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    throw error instanceof AbilityError ? error : transportFailure(error, url, call);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseBody(text: string, type: string): Json {
  if (text === '') return null;
  const claimsJson = /[/+]json\b/i.test(type);
  try {
    const value = JSON.parse(text) as Json;
    if (claimsJson || (value !== null && typeof value === 'object')) {
      refuseUnsafeKeys(value, 'api.output_invalid');
      return value;
    }
  } catch (error) {
    if (error instanceof AbilityError) throw error;
    if (claimsJson) {
      const message = `The answer says it is JSON and is not (${messageOf(error)}): ${text.slice(0, 200)}`;
      throw new CallFailure({ code: 'api.output_invalid', message }, { cause: error });
    }
  }
  return { text };
}

function badStatus(status: number, text: string, url: URL, call: CallInput): CallFailure {
  const body = call.log.mask(text.slice(0, KEPT_OF_FAILURE));
  return new CallFailure(
    {
      code: `http.${status}`,
      message: `${url.host} answered ${status}${body ? `: ${body.slice(0, 300)}` : ''}`,
      details: { status, body },
    },
    { unclear: UNCLEAR_STATUSES.has(status) },
  );
}

function transportFailure(error: unknown, url: URL, call: CallInput): AbilityError {
  if (error instanceof AbilityError) return error;
  const code = codeOf(error);
  if (call.signal.aborted || isTimeout(error, code)) {
    const message = `${url.host} did not answer within ${call.timeoutMs} ms`;
    return new CallFailure({ code: 'timeout.call', message }, { unclear: true, cause: error });
  }
  return new CallFailure(
    {
      code: 'unavailable.connection',
      message: `${url.host} cannot be reached: ${messageOf(error)}`,
      suggestion: 'Check that the service is up and that the endpoint in registry/config is right.',
    },
    { unclear: !NOT_SENT.has(code), cause: error },
  );
}

function isTimeout(error: unknown, code: string): boolean {
  const name = error instanceof Error ? error.name : '';
  return (
    name === 'TimeoutError' ||
    name === 'AbortError' ||
    code.endsWith('HEADERS_TIMEOUT') ||
    code.endsWith('BODY_TIMEOUT')
  );
}

/** Several addresses tried at once fail together; the first tells what is wrong. */
function codeOf(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return String((first as NodeJS.ErrnoException | undefined)?.code ?? (error as NodeJS.ErrnoException)?.code ?? '');
}

function messageOf(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(error);
}
