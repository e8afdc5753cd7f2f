import type { WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { isTask, otherProject, projectOf } from '../../rules/tasks/other-project.js';
import { findDeletion } from '../../server/temporal/find-deletion.js';
import type { Connection } from '../connection/connect.js';
import { describeIfKnown, taskNotFound } from '../connection/temporal-errors.js';

/** A task of the connection's own project, opened to change it. */
export interface OwnTask {
  description: WorkflowExecutionDescription;
  /** Of the run that was looked at, for signals: another workflow that takes the key meanwhile does not get them. */
  run: WorkflowHandle;
  /** Of that run and those it goes on as, for cancellation and updates. */
  execution: WorkflowHandle;
}

/**
 * Opens a task to change it. Nothing in this room sends anything to a task but through here, so that no command changes
 * a task of another project.
 *
 * @returns undefined where Temporal does not know it. @throws AbilityError `task.other_project`; `task.not_found` for a
 * workflow that is no task.
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
  // A server that skips time does not name the first run.
  const first = description.raw.workflowExecutionInfo?.firstRunId;
  return {
    description,
    run: workflow.getHandle(id, description.runId),
    execution: workflow.getHandle(id, undefined, first ? { firstExecutionRunId: first } : {}),
  };
}

/** What Temporal knows of a task of any project; {@link Connection.onOther} is called for another one. */
export async function openToRead(connection: Connection, id: string): Promise<WorkflowExecutionDescription> {
  const description = await connection.temporal.workflow.getHandle(id).describe();
  const project = otherProjectOf(connection, description);
  if (project !== undefined) connection.onOther?.(id, project);
  return description;
}

/** The project of a task that is not of the connection's own; undefined for own ones, and for workflows that are no tasks. */
export function otherProjectOf(connection: Connection, description: WorkflowExecutionDescription): string | undefined {
  const project = projectOf(description);
  return isTask(description) && project !== connection.project ? project : undefined;
}

/** A task that was deleted with its history is still one of the project that deleted it. */
async function refuseDeletedByOther(connection: Connection, id: string): Promise<void> {
  const [root = id] = id.split('/', 1);
  const found = root.includes(':') ? undefined : await findDeletion(connection.temporal, root);
  if (found && found.project !== connection.project) throw otherProject(id, found.project, connection.project);
}
