import { type Client, isGrpcServiceError, ServiceError } from '@temporalio/client';

/** A poller seen within this time counts; they stay listed after a shutdown. Source: answers, 7. */
const RECENT_MS = 90_000;
const WORKFLOW_QUEUE = 1;
const UNIMPLEMENTED = 12;

/** Whether somebody polls a queue; yes where the server cannot tell, as Temporal's test server. */
export async function isServed(client: Client, namespace: string, queue: string): Promise<boolean> {
  const pollers = await listPollers(client, namespace, queue);
  if (pollers === 'untold') return true;
  return (pollers ?? []).some(({ lastAccessTime }) => {
    return Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1000 < RECENT_MS;
  });
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
    const cause = error instanceof ServiceError ? error.cause : error;
    if (isGrpcServiceError(cause) && cause.code === UNIMPLEMENTED) return 'untold';
    throw error;
  }
}
