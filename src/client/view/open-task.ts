import { join } from 'node:path';
import type { WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import type { Tombstone } from '../../contracts/deletion.js';
import { deleteIdOf, WORKFLOWS } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import { RECORD_FILES } from '../../contracts/record.js';
import { readJson } from '../../disk/read-json.js';
import { isTaskKey, recordPath, rootOf } from '../../rules/tasks/task-ids.js';
import { isTask, otherProject, projectOf, taskDeleted } from '../../rules/tasks/task-refusals.js';
import { findDeletion } from '../../server/temporal/find-deletion.js';
import type { Connection } from '../connection/connect.js';
import { describeIfKnown, taskNotFound } from '../connection/temporal-errors.js';

export interface OwnTask {
  description: WorkflowExecutionDescription;
  /** Of the described run, so that signals do not reach a later workflow with the same key. */
  run: WorkflowHandle;
  /** Of the described run and those that continue it, for cancellation and updates. */
  execution: WorkflowHandle;
}

/**
 * Opens a task to change it. All changes go through here, so that no command changes a task of another project.
 * @returns undefined if Temporal does not have it. @throws AbilityError `task.other_project`; `task.not_found` for
 * a workflow that is no task.
 */
export async function openOwn(connection: Connection, id: string): Promise<OwnTask | undefined> {
  const { workflow } = connection.temporal;
  const description = await describeIfKnown(connection, id);
  if (!description) {
    await refuseDeletedByOther(connection, id);
    return undefined;
  }
  if (!isTask(description)) throw taskNotFound(id);
  const project = projectOf(description);
  if (project !== connection.project) throw otherProject(id, project, connection.project);
  // A time-skipping server does not report the first run.
  const first = description.raw.workflowExecutionInfo?.firstRunId;
  return {
    description,
    run: workflow.getHandle(id, description.runId),
    execution: workflow.getHandle(id, undefined, first ? { firstExecutionRunId: first } : {}),
  };
}

/** Also reads tasks of other projects; {@link Connection.onOther} is called for them. */
export async function openToRead(connection: Connection, id: string): Promise<WorkflowExecutionDescription> {
  const description = await connection.temporal.workflow.getHandle(id).describe();
  const project = otherProjectOf(connection, description);
  if (project !== undefined) connection.onOther?.(id, project);
  return description;
}

/** Undefined for tasks of the connection's project, and for workflows that are not tasks. */
export function otherProjectOf(connection: Connection, description: WorkflowExecutionDescription): string | undefined {
  const project = projectOf(description);
  return isTask(description) && project !== connection.project ? project : undefined;
}

/** @throws AbilityError `task.other_project` if the task was purged, and another project deleted it. */
async function refuseDeletedByOther(connection: Connection, id: string): Promise<void> {
  const root = rootOf(id);
  const found = isTaskKey(root) ? await findDeletion(connection.temporal, root) : undefined;
  if (found && found.project !== connection.project) throw otherProject(id, found.project, connection.project);
}

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
