import type { WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { isTask, otherProject, projectOf } from '../../rules/tasks/other-project.js';
import { isTaskKey, rootOf } from '../../rules/tasks/task-ids.js';
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
