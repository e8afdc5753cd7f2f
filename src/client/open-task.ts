import type { WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { isTask, otherProject, projectOf } from '../rules/other-project.js';
import { findDeletion } from '../server/find-deletion.js';
import type { Session } from './connect.js';
import { isUnknownWorkflow, taskNotFound } from './temporal-errors.js';

/** A task of the session's own project, opened to change it. */
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
export async function openOwn(session: Session, id: string): Promise<OwnTask | undefined> {
  const { workflow } = session.temporal;
  const description = await describe(session, id);
  if (!description) {
    await refuseDeletedByOther(session, id);
    return undefined;
  }
  if (!isTask(description)) throw taskNotFound(id);
  const project = projectOf(description);
  if (project !== session.project) throw otherProject(id, project, session.project);
  // A server that skips time does not tell the first run.
  const first = description.raw.workflowExecutionInfo?.firstRunId;
  return {
    description,
    run: workflow.getHandle(id, description.runId),
    execution: workflow.getHandle(id, undefined, first ? { firstExecutionRunId: first } : {}),
  };
}

/** What Temporal knows of a task, of whatever project; {@link Session.onOther} is called for another one. */
export async function openToRead(session: Session, id: string): Promise<WorkflowExecutionDescription> {
  const description = await session.temporal.workflow.getHandle(id).describe();
  const project = otherProjectOf(session, description);
  if (project !== undefined) session.onOther?.(id, project);
  return description;
}

/** The project of a task that is not of the session's own; undefined for own ones, and for workflows that are no tasks. */
export function otherProjectOf(session: Session, description: WorkflowExecutionDescription): string | undefined {
  const project = projectOf(description);
  return isTask(description) && project !== session.project ? project : undefined;
}

/** A task that was deleted with its history is still one of the project that deleted it. */
async function refuseDeletedByOther(session: Session, id: string): Promise<void> {
  const [root = id] = id.split('/', 1);
  const found = root.includes(':') ? undefined : await findDeletion(session.temporal, root);
  if (found && found.project !== session.project) throw otherProject(id, found.project, session.project);
}

async function describe(session: Session, id: string): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await session.temporal.workflow.getHandle(id).describe();
  } catch (error) {
    if (isUnknownWorkflow(error)) return undefined;
    throw error;
  }
}
