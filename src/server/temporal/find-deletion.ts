import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Deletion } from '../../contracts/deletion.js';
import { deleteIdOf, WORKFLOWS } from '../../contracts/names.js';
import { projectOf } from '../../rules/tasks/other-project.js';

/** A deletion that Temporal knows of. */
export interface FoundDeletion {
  /** The project of the task. */
  project: string;
  /** How it went. */
  deletion: Deletion | 'under way';
}

/** Temporal's knowledge of the deletion of a task; undefined if it has none (any more). */
export async function findDeletion(client: Client, key: string): Promise<FoundDeletion | undefined> {
  const handle = client.workflow.getHandle(deleteIdOf(key));
  try {
    const description = await handle.describe();
    const { status, type, runId } = description;
    if (type !== WORKFLOWS.delete) return undefined;
    const project = projectOf(description);
    if (status.name === 'RUNNING') return { project, deletion: 'under way' };
    if (status.name !== 'COMPLETED') return undefined;
    const deletion: Deletion = await client.workflow.getHandle(deleteIdOf(key), runId).result();
    return { project, deletion };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
