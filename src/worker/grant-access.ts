import { type Client, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { FirstEvent, GrantAccess } from '../activities/grants/grant-access.js';
import type { RunRef } from '../activities/task/runs.js';
import type { GrantUse, GrantView } from '../contracts/grants.js';
import { GRANT_UPDATES, QUERIES } from '../contracts/names.js';
import { unlessNotFound } from './not-found.js';
import { untilProcessed } from './session-access.js';
import { originOf } from './temporal-access.js';

const USE_MS = 15_000;

/** Grants are workflows under the ids of their bindings. */
export function accessGrants(client: Client, { firstRunOf }: Pick<GrantAccess, 'firstRunOf'>): GrantAccess {
  return {
    firstRunOf,
    async findOpen(workflowId) {
      const found = await unlessNotFound(() => client.workflow.getHandle(workflowId).describe());
      return found?.status.name === 'RUNNING' ? { workflowId, runId: found.runId } : undefined;
    },
    readFirst: (run) => readFirst(client, run),
    async use({ workflowId, runId }, use) {
      const handle = client.workflow.getHandle(workflowId, runId);
      const count = () =>
        handle.executeUpdate<number, [GrantUse]>(GRANT_UPDATES.use, { args: [use], updateId: use.id });
      try {
        return await client.withDeadline(Date.now() + USE_MS, () => untilProcessed(workflowId, count));
      } catch (error) {
        if (error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError)
          return numberOf(use, await handle.query<GrantView>(QUERIES.grant));
        throw error;
      }
    },
  };
}

/** Of a use that an earlier attempt had counted, before the grant ended. */
function numberOf({ id }: GrantUse, { uses }: GrantView): number | null {
  const at = uses.findIndex((use) => use.id === id);
  // The first one is the call that was approved.
  return at < 0 ? null : at + 2;
}

async function readFirst(client: Client, run: RunRef): Promise<FirstEvent | undefined> {
  const { namespace, loadedDataConverter } = client.options;
  const page = await unlessNotFound(() =>
    client.workflowService.getWorkflowExecutionHistory({ namespace, execution: run, maximumPageSize: 1 }),
  );
  const started = page?.history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  if (!started) return undefined;
  let payloads: Payload[] = started.input?.payloads?.slice(0, 1) ?? [];
  for (const codec of loadedDataConverter.payloadCodecs.toReversed()) payloads = await codec.decode(payloads);
  const argument = payloads[0] && defaultPayloadConverter.fromPayload(payloads[0]);
  return { ...originOf(run, started), isReset: started.originalExecutionRunId !== run.runId, argument };
}
