import { ActivityNotFoundError, type Client } from '@temporalio/client';
import { isNotFound, isUnimplemented } from './grpc-error.js';

const POLL_MS = 100;

interface ActivityRun {
  activityId: string;
  runId: string;
}

/**
 * Deletes a key's preflights that were activities, since they contain the request; not every server has any.
 * @param onProgress called while it waits for the deletion; may throw to stop it. @throws errors of the server.
 */
export async function removePreflightActivities(
  client: Client,
  namespace: string,
  activityId: string,
  onProgress: () => void,
): Promise<void> {
  const runs = await runsOf(client, activityId);
  for (const run of runs) {
    await client.workflowService.deleteActivityExecution({ namespace, ...run }).catch(unlessMissing);
    onProgress();
  }
  for (const run of runs) {
    while (await isThere(client, run)) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      onProgress();
    }
  }
}

/** The newest run is known at once, earlier ones only after the server has listed them. */
async function runsOf(client: Client, activityId: string): Promise<ActivityRun[]> {
  const runs = new Set<string>();
  try {
    runs.add((await client.activity.getHandle(activityId).describe()).activityRunId ?? '');
    for await (const { activityRunId } of client.activity.list(`ActivityId = '${activityId}'`)) {
      runs.add(activityRunId ?? '');
    }
  } catch (error) {
    if (!isUnimplemented(error)) unlessMissing(error);
  }
  return [...runs].filter((runId) => runId !== '').map((runId) => ({ activityId, runId }));
}

async function isThere(client: Client, { activityId, runId }: ActivityRun): Promise<boolean> {
  try {
    await client.activity.getHandle(activityId, runId).describe();
    return true;
  } catch (error) {
    unlessMissing(error);
    return false;
  }
}

function unlessMissing(error: unknown): void {
  if (error instanceof ActivityNotFoundError || isNotFound(error)) return;
  throw error;
}
