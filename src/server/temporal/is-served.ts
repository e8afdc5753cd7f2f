import type { Client } from '@temporalio/client';
import { clockAhead } from './clock-ahead.js';
import { isUnimplemented } from './grpc-error.js';

/** A poller seen within this time counts; they stay listed after a shutdown. Source: docs/architecture.md#no-hangs. */
const RECENT_MS = 90_000;
/** So much later than now a poller may be seen without a reason to ask for the server's clock. */
const EVEN_MS = 1000;
const WORKFLOW_QUEUE = 1;
const ACTIVITY_QUEUE = 2;

/** Whether a worker polls a queue; true where the server cannot say, as Temporal's test server. */
export async function isServed(client: Client, namespace: string, queue: string): Promise<boolean> {
  const pollers = await listPollers(client, namespace, queue);
  if (pollers === 'unknown') return true;
  return (await recent(client, namespace, pollers ?? [])).length > 0;
}

/** Pollers that were seen recently; if the clock here says that none was, or later than now, by that of the server. */
async function recent<P extends { lastAccessTime?: Seconds }>(
  client: Client,
  namespace: string,
  pollers: P[],
): Promise<P[]> {
  const ages = pollers.map(({ lastAccessTime }) => Date.now() - secondsOf(lastAccessTime) * 1000);
  const isLikely = ages.some((age) => age >= -EVEN_MS && age < RECENT_MS);
  const ahead = isLikely || ages.length === 0 ? 0 : ((await clockAhead(client, namespace)) ?? 0);
  return pollers.filter((_, index) => (ages[index] as number) - ahead < RECENT_MS);
}

/** Totals for workflows and activities. */
export async function queueFigures(
  client: Client,
  namespace: string,
  queue: string,
): Promise<{ workers: number; backlog: number | undefined; backlogSeconds: number | undefined }> {
  const answers = await Promise.all(
    [WORKFLOW_QUEUE, ACTIVITY_QUEUE].map((taskQueueType) =>
      client.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: queue },
        taskQueueType,
        reportStats: true,
      }),
    ),
  );
  const all = answers.flatMap(({ pollers }) => pollers ?? []);
  const workers = new Set((await recent(client, namespace, all)).map(({ identity }) => identity));
  const counted = answers.flatMap(({ stats }) => stats ?? []);
  const isCounted = counted.length === answers.length;
  return {
    workers: workers.size,
    backlog: isCounted
      ? counted.reduce((sum, { approximateBacklogCount }) => sum + Number(approximateBacklogCount ?? 0), 0)
      : undefined,
    backlogSeconds: isCounted
      ? Math.max(...counted.map(({ approximateBacklogAge }) => secondsOf(approximateBacklogAge)))
      : undefined,
  };
}

type Seconds = { seconds?: unknown; nanos?: unknown } | null;

function secondsOf(duration: Seconds | undefined): number {
  return Number(duration?.seconds ?? 0) + Number(duration?.nanos ?? 0) / 1e9;
}

async function listPollers(client: Client, namespace: string, queue: string) {
  try {
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: queue },
      taskQueueType: WORKFLOW_QUEUE,
    });
    return pollers;
  } catch (error) {
    if (isUnimplemented(error)) return 'unknown';
    throw error;
  }
}
