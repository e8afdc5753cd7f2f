import type { z } from 'zod';
import type { Connection } from '../../client/index.js';
import { isEndState } from '../../contracts/states.js';
import { readTraceparent } from '../../rules/traces/trace-context.js';
import { type ActedAsk, actOnRequest, endAsk } from '../answers/ask/ask.js';
import type { AskAnswer, Request } from '../answers/ask/ask-shapes.js';
import { type BegunAsk, beginAsk, orAnswered } from '../answers/ask/begin-ask.js';
import { readKey } from './create-task.js';
import type { runBody } from './formats.js';
import { environmentOf } from './http-door.js';
import type { HttpAnswer, HttpCall } from './route.js';
import { answerOf, waitFor } from './wait-answer.js';

type Call = HttpCall<unknown, unknown, z.output<typeof runBody> & { prompt: string }>;

/**
 * `POST /v1/runs` with a `prompt`; `Idempotency-Key` is the run's id. A plan that needs consent is a question,
 * answered by the next prompt. @throws AbilityError as `beginAsk`, `actOnRequest`. Source: R-004-20 to R-004-23.
 */
export async function askInWords(call: Call): Promise<HttpAnswer> {
  const { door, caller, body, headers } = call;
  const request = requestOf(call);
  const place = { run: readKey(headers['idempotency-key']), session: body.session };
  const options = { trace: readTraceparent(headers.traceparent) ?? null };
  // Logged first, even if no server is reached then.
  const begun = beginAsk(request, place);
  return door.ask(async (connection) => {
    if (begun.answered) return asBefore(call, connection, begun.answered);
    const act = async (session: string | undefined): Promise<HttpAnswer> => {
      const came = await orAnswered(request, begun, async () => {
        const acted = await actOnRequest(connection, request, begun, { ...place, session }, options);
        return answerFor(call, connection, begun, acted);
      });
      return 'done' in came ? came.done : asBefore(call, connection, came.answered);
    };
    if (body.session !== undefined || caller.kind !== 'agent') return act(body.session);
    const { environment, scope, user } = request;
    return door.sessions.of(caller, environment).use(connection, { environment, scope }, user, act);
  });
}

function requestOf({ door, caller, body, signal }: Call): Request {
  const registry = door.registry();
  return {
    text: body.prompt,
    registry,
    environment: environmentOf(door, registry, body.environment),
    scope: body.scope ?? door.scope,
    user: caller.person,
    ...(caller.kind && { caller: caller.kind }),
    env: door.env,
    agreed: false,
    ...(body.pack !== undefined && { pack: body.pack }),
    ...(body.plan !== undefined && { plan: body.plan }),
    signal,
  };
}

async function answerFor(call: Call, connection: Connection, begun: BegunAsk, acted: ActedAsk): Promise<HttpAnswer> {
  const [task] = acted.answer.tasks;
  if (!task || call.body.wait === undefined) {
    const answer = await endAsk(connection, begun, acted);
    return { status: task ? 202 : 200, body: withSession(answer) };
  }
  const result = await waitFor(connection, task.task_key, call.body.wait, call);
  const answer = await endAsk(connection, begun, acted, result);
  return withResult(answer, result);
}

/** A repeated run: its earlier answer, with the current state of its task. */
async function asBefore(call: Call, connection: Connection, answer: AskAnswer): Promise<HttpAnswer> {
  const [task] = answer.tasks;
  if (!task || call.body.wait === undefined) return { status: task ? 202 : 200, body: withSession(answer) };
  return withResult(answer, await waitFor(connection, task.task_key, call.body.wait, call));
}

function withResult(answer: AskAnswer, result: Parameters<typeof answerOf>[0]): HttpAnswer {
  const { body } = answerOf(result);
  const tasks = answer.tasks.map((task) => ({ ...task, status: result.status, result: body }));
  return { status: isEndState(result.status) ? 200 : 202, body: { ...withSession(answer), tasks } };
}

function withSession(answer: AskAnswer): AskAnswer {
  const { session_id } = answer;
  return session_id === null ? answer : { ...answer, _meta: { ...answer._meta, session_id } };
}
