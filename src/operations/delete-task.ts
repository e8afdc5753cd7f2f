import { z } from 'zod';
import { type DeleteEnd, deleteTask as deleteIt } from '../client/index.js';
import { AbilityError } from '../contracts/problem.js';
import { task } from './concerns.js';
import * as fields from './fields.js';
import { answer, operation } from './operation.js';

/** A deletion continues when the request ends. */
const DELETE_MS = 60_000;

export const deleteTask = operation({
  summary: 'Delete a task: stop it, remove its record, leave a tombstone.',
  right: 'run',
  concerns: task,
  at: 'DELETE /v1/tasks/{key}',
  input: z.strictObject({
    key: fields.key,
    purge: z.boolean().default(false).describe('Delete its history in Temporal as well.'),
  }),
  answers: answer(
    'It is deleted.',
    z.looseObject({ status: z.literal('deleted'), task_key: z.string(), purged: z.boolean() }),
  ),
  run: (project, { person }, { key, purge }, signal) =>
    project.ask(async (connection) =>
      deletedAnswer(key, await deleteIt(connection, key, { by: person, purge, timeoutMs: DELETE_MS, signal })),
    ),
});

/** @throws AbilityError `wait.interrupted` if the client left. */
export function deletedAnswer(key: string, end: DeleteEnd) {
  const status = 'deleted' as const;
  if (end.kind === 'unformed') return { status, task_key: key, already: false, purged: true };
  if (end.kind === 'aborted') {
    throw new AbilityError({ code: 'wait.interrupted', message: 'The client disconnected; the deletion goes on' });
  }
  const { purged, deleted_at, deleted_by } = end.deletion;
  return { status, task_key: key, already: end.kind === 'already', purged, deleted_at, deleted_by };
}
