import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { AbilityError } from '../../contracts/problem.js';
import type { OpenProject, Operation, OperationCaller } from '../../operations/operation.js';
import { allOperations, OPERATIONS } from '../../operations/operations.js';
import { readInputOf, runOperation } from '../../operations/run-operation.js';
import { readTraceparent } from '../../rules/traces/trace-context.js';
import { httpProblem } from './http-problem.js';
import { reserveWait } from './reserve-wait.js';
import { defineRoute, type HttpAnswer, type HttpCall, type Route } from './route.js';

/** W3C Trace Context; operations that start tasks keep it. */
const TRACEPARENT = 'kept with the task, and sent on with the HTTP requests and MCP calls that it makes.';

/** The route of an operation: path, headers, query and body are the fields of its input. */
export function routeOf(name: string, operation: Operation<z.ZodObject, unknown>): Route {
  const { at, input, headers = {}, answers, summary, right, starts = false, streams } = operation;
  const [method = '', path = ''] = at.split(' ');
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, field = '']) => field);
  const isQuery = method === 'GET' || method === 'DELETE';
  const rest = input.omit(maskOf([...inPath, ...Object.keys(headers)]));
  const type = streams ? 'text/event-stream' : undefined;
  const described = Object.entries(answers).map(([status, answer]) => [status, { ...answer, ...(type && { type }) }]);
  return {
    name,
    method: method as Route['method'],
    path,
    summary,
    right,
    params: input.pick(maskOf(inPath)),
    query: isQuery ? rest : input.pick({}),
    ...(!isQuery && Object.keys(rest.shape).length > 0 && { body: describedAs(rest, input) }),
    headers: {
      ...Object.fromEntries(Object.values(headers).map((header) => [header.name, header.means])),
      ...(starts && { traceparent: `W3C Trace Context: ${TRACEPARENT}` }),
    },
    answers: Object.fromEntries(described),
    handle(call) {
      const { params, query, body } = call as HttpCall<object, object, object | undefined>;
      return carryOut(operation, call, { ...params, ...query, ...body, ...fromHeaders(headers, call.headers) });
    },
  };
}

const named = z.strictObject({ name: z.enum(allOperations().map(([name]) => name)) });

/** All operations at one address, for the clients of this package: they need to know no routes. */
export const callRoute: Route = defineRoute({
  name: 'callOperation',
  method: 'POST',
  path: '/v1/operations/{name}',
  summary: 'Any of these operations by its name, with its whole input as the body; for the clients of this package.',
  right: (params) => (OPERATIONS[named.parse(params).name] as Operation<z.ZodObject, unknown>).right,
  params: named,
  body: z.looseObject({}),
  answers: { 200: { means: 'As the route of the operation says.' } },
  handle(call) {
    const operation = OPERATIONS[call.params.name] as unknown as Operation<z.ZodObject, unknown>;
    return carryOut(operation, call, readInputOf(call.params.name, operation, call.body));
  },
});

async function carryOut(
  operation: Operation<z.ZodObject, unknown>,
  call: HttpCall<unknown, unknown, unknown>,
  given: Record<string, unknown>,
): Promise<HttpAnswer> {
  const { door, signal } = call;
  const caller = callerOf(call);
  const project: OpenProject = {
    ...door,
    readsOthers: door.readsOthers === true && call.caller.token === undefined,
    reserve: (who, task) => reserveWait(door, who, task),
    inSession: (connection, who, environment, action) => {
      // An agent that a token proves has a session; what a command claims to be keeps the rules of the command line.
      if (who.kind !== 'agent' || who.proof === null) return action(null);
      const place = { environment, scope: who.scope };
      return door.sessions.of(call.caller, environment).use(connection, place, who.person, action);
    },
  };
  if (operation.streams) {
    const leave = reserveWait(door, caller, operation.streams === 'shared' ? String(given.key) : undefined);
    try {
      await writeEvents(
        call.raw,
        (await runOperation(operation, project, caller, given, signal)) as AsyncIterable<object>,
        signal,
      );
    } finally {
      leave();
    }
    return undefined;
  }
  const answer = await runOperation(operation, project, caller, given, signal);
  const status = operation.status?.(answer) ?? Number(Object.keys(operation.answers)[0]);
  return { status, body: answer, ...(operation.starts && locationOf(answer)) };
}

function maskOf(names: readonly string[]): Record<string, true> {
  return Object.fromEntries(names.map((name) => [name, true]));
}

function describedAs(format: z.ZodObject, { description }: z.ZodType): z.ZodObject {
  return description === undefined ? format : format.describe(description);
}

function callerOf({ door, caller, headers }: HttpCall<unknown, unknown, unknown>): OperationCaller {
  const { person, kind = null, token, name, rights, admitted } = caller;
  const { doorKey } = door.authentication;
  const trace = readTraceparent(headers.traceparent) ?? null;
  const proof = token === undefined ? null : { token, door: admitted && { admitted, key: doorKey() } };
  return { person, kind, proof, rights, name, trace, session: null, scope: door.scope };
}

/**
 * Node joins repeated headers with commas, which none of these contains. @throws AbilityError `door.bad_request` for
 * several.
 */
function fromHeaders(
  fields: NonNullable<Operation['headers']>,
  headers: HttpCall<unknown, unknown, unknown>['headers'],
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, { name }]) => {
      const value = headers[name.toLowerCase()];
      if (value === undefined) return [];
      if (!String(value).includes(',')) return [[field, String(value)]];
      const message = `${name} was sent more than once, or contains a comma`;
      throw new AbilityError({ code: 'door.bad_request', message });
    }),
  );
}

/** The URL of a task that was started. */
function locationOf(answer: unknown): { headers?: Record<string, string> } {
  const { task_key: key } = answer as { task_key?: unknown };
  return typeof key === 'string' ? { headers: { location: `/v1/tasks/${encodeURIComponent(key)}` } } : {};
}

/** Proxies end idle streams. */
const BEAT_MS = 15_000;

/**
 * As fast as the client reads. A failure leaves the stream open for the door to break off, and a client goes on from its
 * last id; where events have none, an error of ours is the last event.
 */
async function writeEvents(
  response: ServerResponse,
  events: AsyncIterable<{ type?: string; id?: string }>,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  });
  response.flushHeaders();
  let hasIds = false;
  const beat = setInterval(() => response.write(': still here\n\n'), BEAT_MS);
  try {
    for await (const event of events) {
      if (signal.aborted) break;
      hasIds ||= event.id !== undefined;
      if (!response.write(blockOf(event))) await once(response, 'drain', { signal });
    }
  } catch (error) {
    if (!signal.aborted && (hasIds || !(error instanceof AbilityError))) throw error;
    if (!signal.aborted) response.write(blockOf({ type: 'error', problem: httpProblem(error) }));
  } finally {
    clearInterval(beat);
  }
  response.end();
}

function blockOf(event: { type?: string; id?: string; problem?: unknown }): string {
  const { id, type } = event;
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
}
