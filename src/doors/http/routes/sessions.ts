import { promptSession, showSession, startSession, stopSession } from '../../../client/index.js';
import { AbilityError } from '../../../contracts/problem.js';
import { parseDuration } from '../../../rules/duration.js';
import { MAX_PROMPT } from '../../../rules/sessions/read-session-start.js';
import { promptBody, sessionAnswer, sessionBody, sessionParams, startedAnswer, turnAnswer } from '../formats.js';
import { environmentOf } from '../http-door.js';
import { defineRoute, type Route } from '../route.js';

const USUAL_IDLE = '24h';

export const sessionRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/sessions',
    summary: 'Start a session.',
    right: 'run',
    body: sessionBody,
    answers: { 201: { means: 'It is open; `attached`: it was open already.', schema: startedAnswer } },
    handle: ({ door, caller, body }) => {
      const environment = environmentOf(door, door.registry(), body.environment);
      const { scope = door.scope, idle = USUAL_IDLE } = body;
      const idleMs = readIdle(idle);
      const id = body.id === undefined ? {} : { id: body.id };
      return door.ask(async (connection) => {
        const started = await startSession(connection, { ...id, environment, scope, idleMs, user: caller.person });
        const { session_id, attached } = started;
        return { status: 201, body: { session_id, environment, scope, idle_ms: idleMs, attached } };
      });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/{id}/prompts',
    summary: 'Run the hooks of a prompt; returns what an AI reads before it decides.',
    right: 'run',
    params: sessionParams,
    body: promptBody,
    answers: { 200: { means: 'The turn context.', schema: turnAnswer } },
    handle: ({ door, caller, params: { id }, body: { prompt } }) => {
      if (prompt.length > MAX_PROMPT) {
        const message = `The prompt has ${prompt.length} characters; the maximum is ${MAX_PROMPT}`;
        throw new AbilityError({ code: 'door.bad_request', message });
      }
      return door.ask(async (connection) => {
        return { status: 200, body: await promptSession(connection, id, prompt, caller.person) };
      });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/{id}',
    summary: 'Show a session.',
    right: 'read',
    params: sessionParams,
    answers: { 200: { means: 'Its turns, tasks and counts.', schema: sessionAnswer } },
    handle: ({ door, params: { id } }) =>
      door.ask(async (connection) => ({ status: 200, body: await showSession(connection, id) })),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/{id}/stop',
    summary: 'End a session; its open tasks go on.',
    right: 'run',
    params: sessionParams,
    answers: { 200: { means: 'It has ended.', schema: sessionAnswer } },
    handle: ({ door, params: { id } }) =>
      door.ask(async (connection) => ({ status: 200, body: await stopSession(connection, id) })),
  }),
];

function readIdle(text: string): number {
  const idle = parseDuration(text);
  if (idle > 0) return idle;
  throw new AbilityError({
    code: 'door.bad_request',
    message: `idle: ${text} is no duration`,
    suggestion: 'Use for example 24h or 30m.',
  });
}
