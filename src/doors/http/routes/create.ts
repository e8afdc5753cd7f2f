import { AbilityError } from '../../../contracts/problem.js';
import { askInWords } from '../ask-in-words.js';
import { createdBody, headersOf, makeTask, metaOf } from '../create-task.js';
import { createBody, createdAnswer, requestAnswer, resultAnswer, runBody } from '../formats.js';
import { defineRoute, type Route } from '../route.js';
import { answerOf, waitFor } from '../wait-answer.js';

const HEADERS = {
  'Idempotency-Key': 'Your own task key, or run id with `prompt`: the same request with the same key is the same task.',
  traceparent: 'W3C Trace Context: kept with the task, and sent on with the HTTP requests and MCP calls that it makes.',
};

export const createRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/runs',
    summary: 'Create and run a task for an ability or for a request in plain words; wait for its end for up to `wait`.',
    right: 'run',
    body: runBody,
    headers: HEADERS,
    refuse: refuseBothAndNeither,
    answers: {
      200: {
        means:
          'It has ended, well or not: `status` says how. For a `prompt`: its outcome, if nothing is still running.',
        schema: resultAnswer.or(requestAnswer),
      },
      202: {
        means: 'It goes on; without `wait`, only its key is returned.',
        schema: resultAnswer.or(createdAnswer).or(requestAnswer),
      },
    },
    async handle(call) {
      const { door, body } = call;
      const { ability, prompt } = body;
      if (prompt !== undefined) return askInWords({ ...call, body: { ...body, prompt } });
      // `refuse` ensures that one of the two is given.
      const named = { ...call, body: { ...body, ability: ability ?? '' } };
      return door.ask(async (connection) => {
        const made = await makeTask(named, connection, true);
        const headers = headersOf(made);
        if (body.wait === undefined) return { status: 202, body: createdBody(made), headers };
        const answer = answerOf(await waitFor(connection, made.id, body.wait, call));
        return { ...answer, body: { ...answer.body, ...metaOf(made.session) }, headers };
      });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/tasks',
    summary: 'Check that a task can be formed and return its key; nothing runs.',
    right: 'run',
    body: createBody,
    headers: HEADERS,
    refuse: refusePlainWords,
    answers: { 201: { means: 'A task with this key exists.', schema: createdAnswer } },
    async handle(call) {
      return call.door.ask(async (connection) => {
        const made = await makeTask(call, connection, false);
        return { status: 201, body: createdBody(made), headers: headersOf(made) };
      });
    },
  }),
];

/** Fields that do not go with plain words, since choosing the ability decides them. */
const WITH_ABILITY = ['input', 'intent'];

/** Requires either an ability or plain words. Source: R-004-22. */
function refuseBothAndNeither(body: unknown): void {
  const given = body ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) return;
  const has = (name: string): boolean => Object.hasOwn(given, name);
  if (has('ability') === has('prompt')) {
    throw usage(has('ability') ? 'Both ability and prompt were given' : 'Neither ability nor prompt was given');
  }
  const [wrong] = has('prompt') ? WITH_ABILITY.filter(has) : ['pack'].filter(has);
  if (wrong !== undefined) throw usage(`${wrong} does not go with ${has('prompt') ? 'prompt' : 'ability'}`);
}

const EITHER = 'Send {"ability": "...", "input": {...}}, or {"prompt": "..."}, with "pack" and "plan" if wanted.';

function usage(message: string, suggestion = EITHER): AbilityError {
  return new AbilityError({ code: 'usage.invalid', message, suggestion });
}

/** Tasks are created for abilities only; plain words belong in runs. */
function refusePlainWords(body: unknown): void {
  const wrong = ['prompt', 'pack'].find((name) => Object.hasOwn(body ?? {}, name));
  if (wrong !== undefined) throw usage(`${wrong}: requests in plain words are runs`, 'Send it to POST /v1/runs.');
}
