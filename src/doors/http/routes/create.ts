import { AbilityError } from '../../../contracts/problem.js';
import { headersOf, makeTask, metaOf, tellCreated } from '../create-task.js';
import { createBody, createdAnswer, resultAnswer, runBody } from '../formats.js';
import { defineRoute, type Route } from '../route.js';
import { answerOf, waitFor } from '../wait-answer.js';

const HEADERS = {
  'Idempotency-Key': 'Your own task key: the same request with the same key is the same task.',
  traceparent: 'W3C Trace Context: kept with the task, and sent on with the HTTP requests and MCP calls that it makes.',
};

/** The routes that create tasks. */
export const createRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/runs',
    summary: 'Create a task and run it; wait for its end as long as `wait` says.',
    right: 'run',
    body: runBody,
    headers: HEADERS,
    refuse: refusePlainWords,
    answers: {
      200: { means: 'It has ended, well or not: `status` says how.', schema: resultAnswer },
      202: { means: 'It goes on; without `wait`, only its key is given.', schema: resultAnswer.or(createdAnswer) },
    },
    async handle(call) {
      const { door, body } = call;
      return door.ask(async (connection) => {
        const made = await makeTask(call, connection, true);
        const headers = headersOf(made);
        if (body.wait === undefined) return { status: 202, body: tellCreated(made), headers };
        const answer = answerOf(await waitFor(connection, made.id, body.wait, call));
        return { ...answer, body: { ...answer.body, ...metaOf(made.session) }, headers };
      });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/tasks',
    summary: 'Check that a task can be formed and give its key; nothing runs.',
    right: 'run',
    body: createBody,
    headers: HEADERS,
    refuse: refusePlainWords,
    answers: { 201: { means: 'There is a task of this key.', schema: createdAnswer } },
    async handle(call) {
      return call.door.ask(async (connection) => {
        const made = await makeTask(call, connection, false);
        return { status: 201, body: tellCreated(made), headers: headersOf(made) };
      });
    },
  }),
];

/** Requests in plain words come with the issue that chooses abilities. Source: R-004-22. */
function refusePlainWords(body: unknown): void {
  if (body === null || typeof body !== 'object') return;
  const later = ['prompt', 'pack'].find((name) => Object.hasOwn(body, name));
  if (later === undefined) return;
  throw new AbilityError({
    code: 'feature.unsupported',
    message: `${later}: this version chooses no ability for a request in plain words`,
    suggestion: 'Name the ability: {"ability": "...", "input": {...}}.',
  });
}
