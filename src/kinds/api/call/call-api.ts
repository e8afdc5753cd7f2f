import { type Dispatcher, request } from 'undici';
import { CallFailure } from '../../../activities/call/call-failure.js';
import type { CallInput } from '../../../activities/call/call-input.js';
import { refuseForbiddenUrl, watchedAgent } from '../../../activities/connections/guarded-connections.js';
import type { PlanApiResponse } from '../../../contracts/api.js';
import { ANSWER_FILE } from '../../../contracts/files.js';
import type { Json } from '../../../contracts/json.js';
import type { ApiImplementation } from '../../../contracts/plan.js';
import { AbilityError } from '../../../contracts/problem.js';
import { ATTRIBUTES } from '../../../contracts/traces.js';
import { Masker } from '../../../planning/secrets/masking/masker.js';
import { headersThatMatter, notBefore, retryAtOf } from '../../../rules/calls/retry-after.js';
import { addToSpan } from '../../../tracing/current-span.js';
import { serverOf } from '../../../tracing/trace-model-call.js';
import { prepareBody, type SendableBody } from './body-parts.js';
import { type ApiRequest, buildRequest, followRedirect } from './build-request.js';
import type { RateLimiter } from './rate-limit.js';
import { answerName, readAnswer, wrapBody } from './read-answer.js';

const MAX_REDIRECTS = 5;
const KEPT_OF_FAILURE = 2000;
const SHORTEST_SECRET = 8;

/** A gateway that answers with one of these may have passed the request on. */
const UNCLEAR_STATUSES = new Set([502, 504]);

/**
 * @throws CallFailure `http.<status>`, `unavailable.*`, `timeout.call`, `denied.host`, `api.output_invalid`.
 * Source: docs/definitions.md; docs/operations.md#safety; docs/errors.md; docs/api-calls.md.
 */
export async function callApi(
  implementation: ApiImplementation,
  call: CallInput,
  { limiter }: { limiter: RateLimiter },
): Promise<Json> {
  const prepared = buildRequest(implementation, call);
  const body = await prepareBody(prepared.body, call.files);
  await limiter.take(implementation.id, implementation.api.rate_limit, call);
  const { answer, url } = await send(prepared, body, implementation.api.allowed_hosts, call);
  const { response } = implementation.api;
  if (response?.as === 'file' && answer.statusCode < 300) return readFileAnswer(answer, url, response, call);
  const bytes = await readBody(answer, call, url);
  if (answer.statusCode >= 300) throw badStatus(answer, bytes.toString('utf8'), url, call);
  const output = readAnswer({ status: answer.statusCode, headers: answer.headers, bytes, url }, response, call);
  return withoutSecrets(output, prepared.secretQuery);
}

/** Streams the body to a file, which may be larger than an output. */
async function readFileAnswer(
  answer: Dispatcher.ResponseData,
  url: URL,
  response: PlanApiResponse,
  call: CallInput,
): Promise<Json> {
  const type = answer.headers['content-type'];
  const mediaType = typeof type === 'string' ? type : undefined;
  const name = answerName(answer.headers['content-disposition'], url, mediaType);
  try {
    const file = await call.files.spool(answer.body, { name, mediaType });
    call.files.made[ANSWER_FILE] = file;
    return wrapBody({ status: answer.statusCode, headers: answer.headers }, file, response);
  } catch (error) {
    throw transportFailure(error, url, call, true);
  }
}

/**
 * Masks secrets that services repeat from the request address, as in links to the next page; outputs are stored. A
 * short one, such as `demo`, is not masked: that would remove words of the answer.
 */
function withoutSecrets(output: Json, secrets: ApiRequest['secretQuery']): Json {
  const long = secrets.filter(({ value }) => value.length >= SHORTEST_SECRET);
  if (long.length === 0) return output;
  return new Masker(long.map(({ value }) => value)).maskDeep(output) as Json;
}

/** Sends a request and follows redirects, each to an allowed host; credentials never cross hosts. */
async function send(
  first: ApiRequest,
  body: SendableBody,
  allowed: string[],
  call: CallInput,
): Promise<{ answer: Dispatcher.ResponseData; url: URL }> {
  let current = first;
  for (let hop = 0; ; hop += 1) {
    refuseForbiddenUrl(current.url, allowed);
    if (hop === 0) await call.begin();
    const answer = await exchange(current, body, allowed, call);
    const next = followRedirect(answer, current);
    if (!next) return { answer, url: current.url };
    await answer.body.dump();
    if (hop === MAX_REDIRECTS) {
      const message = `${first.url.host} redirects more than ${MAX_REDIRECTS} times`;
      throw new CallFailure({ code: `http.${answer.statusCode}`, message });
    }
    current = next;
  }
}

async function exchange(
  prepared: ApiRequest,
  body: SendableBody,
  allowed: string[],
  call: CallInput,
): Promise<Dispatcher.ResponseData> {
  const { method, url, headers } = prepared;
  // A redirect may have dropped the body.
  const isSent = prepared.body !== undefined;
  const started = performance.now();
  addToSpan(serverOf(url));
  let sent = false;
  try {
    const answer = await request(url, {
      method: method as Dispatcher.HttpMethod,
      headers: isSent ? { ...headers, ...body.headers } : headers,
      body: isSent ? body.open() : null,
      dispatcher: watchedAgent(allowed, () => {
        sent = true;
      }),
      signal: call.stop,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const ms = Math.round(performance.now() - started);
    call.log.add('request', `${method} ${url} -> ${answer.statusCode} (${ms} ms)`);
    addToSpan({ [ATTRIBUTES.httpStatus]: answer.statusCode });
    return answer;
  } catch (error) {
    call.log.add('request', `${method} ${url} -> ${messageOf(error)}`);
    throw transportFailure(error, url, call, sent);
  }
}

async function readBody(answer: Dispatcher.ResponseData, call: CallInput, url: URL): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer.body) {
      bytes += (chunk as Buffer).length;
      // Only the beginning of a failed answer is kept; its size does not change the failure.
      if (bytes > call.outputBytes && answer.statusCode >= 300) break;
      if (bytes > call.outputBytes) {
        const message = `The answer of ${url.host} is larger than the ${call.outputBytes} bytes an output may have`;
        throw new CallFailure({ code: 'output.too_large', message });
      }
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    throw error instanceof AbilityError ? error : transportFailure(error, url, call, true);
  }
  return Buffer.concat(chunks);
}

function badStatus(answer: Dispatcher.ResponseData, text: string, url: URL, { log }: CallInput): CallFailure {
  const { statusCode: status, headers } = answer;
  const body = log.excerpt(text, KEPT_OF_FAILURE);
  const later = retryAtOf(headers, Date.now());
  return new CallFailure(
    {
      code: `http.${status}`,
      message: `${url.host} answered ${status}${notBefore(later)}${body ? `: ${body.slice(0, 300)}` : ''}`,
      details: { status, headers: headersThatMatter(headers), body, ...later },
    },
    { unclear: UNCLEAR_STATUSES.has(status) },
  );
}

/** @param sent whether anything was written to a connection, so that an effect is possible. */
function transportFailure(error: unknown, url: URL, call: CallInput, sent: boolean): AbilityError {
  if (error instanceof AbilityError) return error;
  if (call.stop.aborted) {
    const message = `${url.host} did not answer within ${call.timeoutMs} ms`;
    return new CallFailure({ code: 'timeout.call', message }, { unclear: sent, cause: error });
  }
  return new CallFailure(
    {
      code: 'unavailable.connection',
      message: `${url.host} cannot be reached: ${messageOf(error)}`,
      suggestion: 'Check that the service is up and that the endpoint in registry/config is right.',
    },
    { unclear: sent, cause: error },
  );
}

/** Connection attempts to several addresses fail together; the first error names the cause. */
function messageOf(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(error);
}
