import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Deletion } from '../contracts/deletion.js';
import { deleteIdOf, WORKFLOWS } from '../contracts/names.js';

/** What Temporal knows of the deletion of a task: how it went, that it is under way, or nothing (any more). */
export async function findDeletion(client: Client, key: string): Promise<Deletion | 'under way' | undefined> {
  const handle = client.workflow.getHandle(deleteIdOf(key));
  try {
    const { status, type, runId } = await handle.describe();
    if (type !== WORKFLOWS.delete) return undefined;
    if (status.name === 'RUNNING') return 'under way';
    if (status.name !== 'COMPLETED') return undefined;
    return (await client.workflow.getHandle(deleteIdOf(key), runId).result()) as Deletion;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
