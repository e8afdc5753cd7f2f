import { join } from 'node:path';
import {
  type Connection,
  cancelTask,
  changeInput,
  deleteTask,
  keepingRuntime,
  type LogLine,
  listTaskPage,
  readChain,
  runTask,
  signalTask,
} from '../../../client/index.js';
import type { Json, JsonObject } from '../../../contracts/json.js';
import { AbilityError } from '../../../contracts/problem.js';
import { RECORD_FILES } from '../../../contracts/record.js';
import { recordFolder } from '../../answers/record-folder.js';
import { CallLogs, inOrder } from '../../cli/commands/task/read-call-logs.js';
import {
  acceptedAnswer,
  changeBody,
  changedAnswer,
  deletedAnswer,
  deleteQuery,
  keyParams,
  listAnswer,
  listQuery,
  logsAnswer,
  logsQuery,
  resultAnswer,
  runningAnswer,
  seenAnswer,
  signalBody,
  signalParams,
  waitBody,
  waitQuery,
} from '../formats.js';
import type { HttpDoor } from '../http-door.js';
import { defineRoute, type Route } from '../route.js';
import { answerOf, viewOwn, waitFor } from '../wait-answer.js';

const USUAL_LIMIT = 50;
/** A deletion continues when the request ends. */
const DELETE_MS = 60_000;

export const taskRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/tasks',
    summary: 'List tasks, open ones first.',
    right: 'read',
    query: listQuery,
    answers: { 200: { means: 'A part of the list.', schema: listAnswer } },
    async handle({ door, query: { status, since, limit, cursor, ...names } }) {
      const filter = {
        ...names,
        status: status === undefined ? [] : [status].flat(),
        since: since === undefined ? undefined : new Date(since),
        limit: limit === undefined ? USUAL_LIMIT : Number(limit),
      };
      const list = await door.ask((connection) =>
        keepingRuntime(connection, () => listTaskPage(connection, filter, cursor)),
      );
      return { status: 200, body: list };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/tasks/{key}',
    summary: 'Show the state of a task.',
    right: 'read',
    params: keyParams,
    answers: { 200: { means: 'Its state.', schema: seenAnswer } },
    handle: ({ door, params: { key } }) =>
      door.ask(async (connection) => {
        const { view, result, source } = await viewOwn(connection, key);
        const { retry_of = null, retries = [] } = source === 'record' ? {} : await readChain(connection, key);
        const chain = { ...(retry_of !== null && { retry_of }), ...(retries.length > 0 && { retries }) };
        return { status: 200, body: { ...(view ?? result), ...chain, source } };
      }),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/tasks/{key}/input',
    summary: 'Change the input of a created task, before it runs.',
    right: 'run',
    params: keyParams,
    body: changeBody,
    answers: { 200: { means: 'It has passed preflight with the new input.', schema: changedAnswer } },
    handle: ({ door, caller: { person: by, kind }, params: { key }, body }) =>
      door.ask(async (connection) => {
        await viewOwn(connection, key, 'temporal');
        // An agent at this door has a session.
        const caller = kind === 'agent' ? 'session' : kind;
        const edit = { set: body.set as JsonObject, unset: body.unset, by, ...(caller && { caller }) };
        const { fields: changed, input, warnings } = await changeInput(connection, key, edit);
        return { status: 200, body: { status: 'available', task_key: key, changed, input, warnings } };
      }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/tasks/{key}/run',
    summary: 'Run a created task.',
    right: 'run',
    params: keyParams,
    body: waitBody,
    answers: {
      200: { means: 'It has ended: `status` says how.', schema: resultAnswer },
      202: { means: 'It goes on.', schema: resultAnswer.or(runningAnswer) },
    },
    handle: ({ door, caller, params: { key }, body: { wait }, signal }) =>
      door.ask(async (connection) => {
        await runTask(connection, key);
        if (wait === undefined) return { status: 202, body: { status: 'running', task_key: key } };
        return answerOf(await waitFor(connection, key, wait, { door, caller, signal }));
      }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/tasks/{key}/result',
    summary: 'The result of a task; wait for it for up to `wait`.',
    right: 'read',
    params: keyParams,
    query: waitQuery,
    answers: {
      200: { means: 'It has ended: `status` says how.', schema: resultAnswer },
      202: { means: 'It has not ended yet.', schema: resultAnswer },
    },
    handle: ({ door, caller, params: { key }, query: { wait }, signal }) =>
      door.ask(async (connection) => {
        // Without a wait, the view itself refuses a task of another project.
        if (wait !== undefined) await viewOwn(connection, key, 'temporal');
        return answerOf(await waitFor(connection, key, wait, { door, caller, signal }));
      }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/tasks/{key}/logs',
    summary: 'What the calls of a task wrote.',
    right: 'read',
    params: keyParams,
    query: logsQuery,
    answers: { 200: { means: 'The lines, in the order of their times.', schema: logsAnswer } },
    handle: ({ door, params: { key }, query: { step } }) =>
      door.ask(async (connection) => ({ status: 200, body: await readLogs(door, connection, key, step) })),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/tasks/{key}/signals/{name}',
    summary: 'Send a task the signal that a step of it waits for.',
    right: 'run',
    params: signalParams,
    body: signalBody,
    answers: { 202: { means: 'The task has it.', schema: acceptedAnswer } },
    handle: ({ door, params: { key, name }, body: { payload = null } }) =>
      door.ask(async (connection) => {
        await signalTask(connection, key, name, payload as Json);
        return { status: 202, body: { status: 'accepted', task_key: key, signal: name } };
      }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/tasks/{key}/cancel',
    summary: 'Ask a task to stop; its clean-up runs.',
    right: 'run',
    params: keyParams,
    answers: { 202: { means: 'It was asked to stop.', schema: acceptedAnswer } },
    handle: ({ door, params: { key } }) =>
      door.ask(async (connection) => {
        await cancelTask(connection, key);
        return { status: 202, body: { status: 'accepted', task_key: key } };
      }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/tasks/{key}',
    summary: 'Delete a task: stop it, remove its record, leave a tombstone.',
    right: 'run',
    params: keyParams,
    query: deleteQuery,
    answers: { 200: { means: 'It is deleted.', schema: deletedAnswer } },
    handle: ({ door, caller, params: { key }, query, signal }) =>
      door.ask(async (connection) => {
        const purge = query.purge === 'true';
        const end = await deleteTask(connection, key, { by: caller.person, purge, timeoutMs: DELETE_MS, signal });
        return { status: 200, body: deletedBody(key, end) };
      }),
  }),
];

function deletedBody(key: string, end: Awaited<ReturnType<typeof deleteTask>>) {
  if (end.kind === 'deleted' || end.kind === 'already') {
    const { purged, deleted_at, deleted_by } = end.deletion;
    return { status: 'deleted', task_key: key, already: end.kind === 'already', purged, deleted_at, deleted_by };
  }
  if (end.kind === 'unformed') return { status: 'deleted', task_key: key, already: false, purged: true };
  throw new AbilityError({ code: 'wait.interrupted', message: 'The client disconnected; the deletion goes on' });
}

/**
 * The output of a task's calls, as far as this machine or the store has it. @throws AbilityError `task.not_found`,
 * `store.not_shared`.
 */
async function readLogs(
  { note }: HttpDoor,
  connection: Connection,
  key: string,
  step: string | undefined,
): Promise<LogLine[]> {
  await viewOwn(connection, key, 'temporal');
  const { paths, project, store } = connection;
  const folder = join(recordFolder(paths.records, key), RECORD_FILES.logs);
  const shared = store.isShared ? store : undefined;
  return inOrder(await new CallLogs(folder, paths, { project, task: key }, shared, note).read(step, true));
}
