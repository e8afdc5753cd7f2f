import { openFailures } from '../../server/temporal/open-failures.js';
import type { HistoryEvent } from '../../server/temporal/read-start.js';
import type { Connection } from './connect.js';

export type { HistoryEvent };

export async function firstEvents(
  { temporal, namespace, codec }: Connection,
  workflowId: string,
  count: number,
): Promise<HistoryEvent[]> {
  const request = { namespace, execution: { workflowId }, maximumPageSize: count };
  const { history } = await temporal.workflowService.getWorkflowExecutionHistory(request);
  return opened(codec, history?.events);
}

/** The newest first. @param runId absent: the newest run. */
export async function lastEvents(
  { temporal, namespace, codec }: Connection,
  workflowId: string,
  count: number,
  runId?: string,
): Promise<HistoryEvent[]> {
  const execution = { workflowId, ...(runId !== undefined && { runId }) };
  const request = { namespace, execution, maximumPageSize: count };
  const { history } = await temporal.workflowService.getWorkflowExecutionHistoryReverse(request);
  return opened(codec, history?.events);
}

/** With the messages of failures as they were. */
export function opened(codec: Connection['codec'], events: HistoryEvent[] | null | undefined): HistoryEvent[] {
  openFailures(codec, events ?? []);
  return events ?? [];
}

/** Id of the run that this one continues. */
export function runBefore(first: HistoryEvent | undefined): string | undefined {
  return first?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
}
