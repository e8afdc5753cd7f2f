import type { Client } from '@temporalio/client';

/** Source: docs/architecture.md#the-way-of-a-task. */
const DAYS = 30;

/** Logs of runs are kept as long as histories of tasks. Milliseconds. */
export const RETENTION_MS = DAYS * 24 * 60 * 60_000;

/** Keeps ended tasks of the project's own server for 30 days; the dev server keeps one. */
export async function extendRetention(client: Client, namespace: string): Promise<void> {
  const seconds = DAYS * 24 * 60 * 60;
  const { config } = await client.workflowService.describeNamespace({ namespace });
  if (Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) >= seconds) return;
  await client.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: { seconds: seconds as never, nanos: 0 } },
  });
}
