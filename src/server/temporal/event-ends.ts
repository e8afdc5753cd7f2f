import type { HistoryEvent } from './read-start.js';

const ENDS = ['Completed', 'Failed', 'TimedOut', 'Canceled', 'Terminated'] as const;

/** Which event began what has ended: of an activity, or of a called workflow. */
type EndAttributes = Record<'scheduledEventId' | 'initiatedEventId', HistoryEvent['eventId']>;

/** What the event says with which a workflow, an activity or a called workflow ended; undefined for any other event. */
export function endIn(
  event: HistoryEvent,
  of: 'workflowExecution' | 'activityTask' | 'childWorkflowExecution',
): EndAttributes | undefined {
  const attributes = event as Partial<Record<string, unknown>>;
  return ENDS.map((end) => attributes[`${of}${end}EventAttributes`]).find(Boolean) as EndAttributes | undefined;
}
