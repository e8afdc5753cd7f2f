import type { Connection } from './connect.js';

type HistoryPage = Awaited<ReturnType<Connection['temporal']['workflowService']['getWorkflowExecutionHistory']>>;

/** One event of a history, as Temporal gives it. */
export type HistoryEvent = NonNullable<NonNullable<HistoryPage['history']>['events']>[number];

/** The first events of a task's history. */
export async function firstEvents(
  { temporal, namespace }: Connection,
  workflowId: string,
  count: number,
): Promise<HistoryEvent[]> {
  const request = { namespace, execution: { workflowId }, maximumPageSize: count };
  const { history } = await temporal.workflowService.getWorkflowExecutionHistory(request);
  return history?.events ?? [];
}

/** The last events of a history, the newest first. @param runId left out: of the newest run. */
export async function lastEvents(
  { temporal, namespace }: Connection,
  workflowId: string,
  count: number,
  runId?: string,
): Promise<HistoryEvent[]> {
  const execution = { workflowId, ...(runId !== undefined && { runId }) };
  const request = { namespace, execution, maximumPageSize: count };
  const { history } = await temporal.workflowService.getWorkflowExecutionHistoryReverse(request);
  return history?.events ?? [];
}

/** The run that continued as the one of this first event. */
export function runBefore(first: HistoryEvent | undefined): string | undefined {
  return first?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
}
