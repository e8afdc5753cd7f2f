import { join } from 'node:path';
import type { Tombstone } from '../../contracts/deletion.js';
import { deleteIdOf, WORKFLOWS } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import { RECORD_FILES } from '../../contracts/record.js';
import { readJson } from '../../disk/read-json.js';
import { recordPath } from '../../rules/tasks/record-path.js';
import { taskDeleted } from '../../rules/tasks/task-deleted.js';
import { isTaskKey, rootOf } from '../../rules/tasks/task-ids.js';
import { findDeletion } from '../../server/temporal/find-deletion.js';
import type { Connection } from '../connection/connect.js';

/** Limits the length of a list filter. */
const MAX_IN_A_QUERY = 50;

/** The tombstone here, else that of the deletion in Temporal; undefined: not deleted, or not yet. */
export async function readDeletion(
  connection: Connection,
  id: string,
): Promise<(Tombstone & { project?: string }) | undefined> {
  const key = rootOf(id);
  if (!isTaskKey(key)) return undefined;
  const here = readTombstone(connection, key);
  if (here) return here;
  const known = await findDeletion(connection.temporal, key);
  if (known?.deletion === 'under way') return undefined;
  // Reports the project only if it is another one.
  return known && { ...known.deletion, ...(known.project !== connection.project && { project: known.project }) };
}

/** @throws AbilityError `task.deleted` for a deleted task, and for tasks that it had called. */
export async function refuseDeleted(connection: Connection, id: string): Promise<void> {
  const tombstone = await readDeletion(connection, id);
  if (tombstone) throw taskDeleted(tombstone, tombstone.project);
}

/** Converts other errors to undefined. @throws AbilityError `task.deleted`. */
export function unlessDeleted(error: unknown): undefined {
  if (error instanceof AbilityError && error.code === 'task.deleted') throw error;
  return undefined;
}

/** The keys of deleted tasks, as far as this machine and Temporal know. */
export async function deletedAmong(connection: Connection, keys: readonly string[]): Promise<Set<string>> {
  const deleted = new Set(keys.filter((key) => readTombstone(connection, rootOf(key))));
  const others = [...new Set(keys.filter((key) => !deleted.has(key)).map(rootOf))].filter((key) => !/['\\]/.test(key));
  for (let at = 0; at < others.length; at += MAX_IN_A_QUERY) {
    const ids = others.slice(at, at + MAX_IN_A_QUERY).map((key) => `'${deleteIdOf(key)}'`);
    const query = `WorkflowType = '${WORKFLOWS.delete}' AND ExecutionStatus = 'Completed' AND WorkflowId IN (${ids.join(', ')})`;
    const found = new Set<string>();
    for await (const { workflowId } of connection.temporal.workflow.list({ query })) found.add(workflowId);
    for (const key of keys) if (found.has(deleteIdOf(rootOf(key)))) deleted.add(key);
  }
  return deleted;
}

function readTombstone({ paths }: Pick<Connection, 'paths'>, key: string): Tombstone | undefined {
  return readJson<Tombstone>(join(paths.records, ...recordPath(key), RECORD_FILES.deleted));
}
