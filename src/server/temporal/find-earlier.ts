import type { Client } from '@temporalio/client';

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
