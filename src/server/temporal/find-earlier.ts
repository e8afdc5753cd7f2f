import type { Client } from '@temporalio/client';

/**
 * How another execution under a key ended that was formed; undefined: there is none. Lists may lag behind by a second.
 * @param key a valid key, which has no quote. @param run id of the first run of the execution that wants the key.
 */
export async function findEarlier(client: Client, key: string, run: string): Promise<string | undefined> {
  const query = `WorkflowId = '${key}' AND ExecutionStatus NOT IN ('Running', 'ContinuedAsNew')`;
  for await (const found of client.workflow.list({ query })) {
    const state = String(found.searchAttributes.AbilityStatus?.[0] ?? '');
    if (found.runId !== run && state !== 'unavailable') return found.status.name.toLowerCase();
  }
  return undefined;
}
