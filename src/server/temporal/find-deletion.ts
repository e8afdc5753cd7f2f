import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Deletion } from '../../contracts/deletion.js';
import { deleteIdOf, WORKFLOWS } from '../../contracts/names.js';
import { projectOf } from '../../rules/tasks/task-refusals.js';

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

/** A task that waited in vain to be run has a record, which is looked at first. */
const RAN_NOTHING: ReadonlySet<string> = new Set(['unavailable', 'expired']);

/**
 * How another execution under a key ended that ran something; undefined: there is none. Lists may lag behind by a second.
 * @param key a valid key, which has no quote. @param run id of the first run of the execution that wants the key.
 */
export async function findEarlier(client: Client, key: string, run: string): Promise<string | undefined> {
  const query = `WorkflowId = '${key}' AND ExecutionStatus NOT IN ('Running', 'ContinuedAsNew')`;
  for await (const found of client.workflow.list({ query })) {
    const state = String(found.searchAttributes.AbilityStatus?.[0] ?? '');
    if (found.runId !== run && !RAN_NOTHING.has(state)) return found.status.name.toLowerCase();
  }
  return undefined;
}
