import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Deletion } from '../../contracts/deletion.js';
import { deleteIdOf, WORKFLOWS } from '../../contracts/names.js';
import { projectOf } from '../../rules/tasks/other-project.js';

export interface FoundDeletion {
  project: string;
  deletion: Deletion | 'under way';
}

/** What Temporal knows of a task's deletion; undefined if nothing, or no longer. */
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
