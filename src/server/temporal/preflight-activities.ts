import { ActivityNotFoundError, type Client } from '@temporalio/client';
import { isNotFound, isUnimplemented } from './grpc-error.js';

const GONE_MS = 100;

/** One run of an activity outside of workflows. */
interface ActivityRun {
  activityId: string;
  runId: string;
}

/**
 * Deletes the preflights of a key that were activities: they contain the request. Servers without such activities have
 * none.
 *
 * @param onProgress called while it waits for the deletion. @throws errors of the server.
 */
export async function removePreflightActivities(
  client: Client,
  namespace: string,
  activityId: string,
  onProgress: () => void,
): Promise<void> {
  const runs = await runsOf(client, activityId);
  for (const run of runs) {
    await client.workflowService.deleteActivityExecution({ namespace, ...run }).catch(unlessGone);
    onProgress();
  }
  for (const run of runs) {
    while (await isThere(client, run)) {
      await new Promise((resolve) => setTimeout(resolve, GONE_MS));
      onProgress();
    }
  }
}

/** The newest run is known at once, those before it once they are listed. */
async function runsOf(client: Client, activityId: string): Promise<ActivityRun[]> {
  const runs = new Set<string>();
  try {
    runs.add((await client.activity.getHandle(activityId).describe()).activityRunId ?? '');
    for await (const { activityRunId } of client.activity.list(`ActivityId = '${activityId}'`)) {
      runs.add(activityRunId ?? '');
    }
  } catch (error) {
    if (!isUnimplemented(error)) unlessGone(error);
  }
  return [...runs].filter((runId) => runId !== '').map((runId) => ({ activityId, runId }));
}

async function isThere(client: Client, { activityId, runId }: ActivityRun): Promise<boolean> {
  try {
    await client.activity.getHandle(activityId, runId).describe();
    return true;
  } catch (error) {
    unlessGone(error);
    return false;
  }
}

function unlessGone(error: unknown): void {
  if (error instanceof ActivityNotFoundError || isNotFound(error)) return;
  throw error;
}
