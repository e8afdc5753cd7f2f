/** The two calls of the HTTP service. Both only compute, so both may be sent again. */
import { ApplicationFailure, activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { type Dispatcher, request } from 'undici';

/** A call shorter than this sends no heartbeat. */
const HEARTBEAT_EVERY_MS = 5_000;

/** An answer of the service, with the attempt that got it: a workflow has no other way to know. */
export interface Answer<Body> {
  body: Body;
  attempt: number;
}
export type Text = { text: string };
export type Sum = { n: number };

/** The activities; their names are the activity types. */
export interface Activities {
  echo(payload: Text): Promise<Answer<Text>>;
  add(payload: { n: number; by: number }): Promise<Answer<Sum>>;
}

/**
 * Makes the activities over one service and one connection pool.
 *
 * They fail with an ApplicationFailure whose type is `http.unreachable`, `http.unavailable` (both worth another attempt),
 * `http.refused` or `http.bad_answer` (both final), and whose first detail is the attempt.
 */
export function createActivities({ origin, dispatcher }: { origin: string; dispatcher: Dispatcher }): Activities {
  async function post<Body>(
    path: string,
    payload: unknown,
    fits: (json: unknown) => json is Body,
  ): Promise<Answer<Body>> {
    const { attempt } = activityInfo();
    const { statusCode, text } = await withHeartbeats(() => send(path, JSON.stringify(payload)));
    if (statusCode >= 400)
      throw failure(codeOf(statusCode), `POST ${path} answered ${statusCode}: ${text.slice(0, 200)}`);
    const body = parse(text);
    if (!fits(body)) throw failure('http.bad_answer', `POST ${path} answered with another form: ${text.slice(0, 200)}`);
    return { body, attempt };
  }

  async function send(path: string, body: string): Promise<{ statusCode: number; text: string }> {
    const signal = cancellationSignal();
    try {
      const response = await request(origin + path, {
        dispatcher,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal,
      });
      return { statusCode: response.statusCode, text: await response.body.text() };
    } catch (error) {
      if (signal.aborted) throw error;
      throw failure('http.unreachable', `POST ${path} got no answer: ${error}`, error);
    }
  }

  return {
    echo: (payload) => post('/echo', payload, isText),
    add: (payload) => post('/add', payload, isSum),
  };
}

async function withHeartbeats<T>(call: () => Promise<T>): Promise<T> {
  const pulse = setInterval(() => heartbeat(), HEARTBEAT_EVERY_MS);
  try {
    return await call();
  } finally {
    clearInterval(pulse);
  }
}

function codeOf(statusCode: number): string {
  return statusCode >= 500 || statusCode === 429 || statusCode === 408 ? 'http.unavailable' : 'http.refused';
}

const WORTH_ANOTHER_ATTEMPT = new Set(['http.unreachable', 'http.unavailable']);

function failure(type: string, message: string, cause?: unknown): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message,
    nonRetryable: !WORTH_ANOTHER_ATTEMPT.has(type),
    details: [activityInfo().attempt],
    ...(cause instanceof Error && { cause }),
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isText(json: unknown): json is Text {
  return typeof json === 'object' && json !== null && 'text' in json && typeof json.text === 'string';
}

function isSum(json: unknown): json is Sum {
  return typeof json === 'object' && json !== null && 'n' in json && typeof json.n === 'number';
}
