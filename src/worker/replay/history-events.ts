import { defaultPayloadConverter } from '@temporalio/common';
import type { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { isOperation } from '../../rules/agents.js';
import { endIn } from '../../server/temporal/event-ends.js';
import { attempt } from '../../text/attempt.js';

export type History = Parameters<typeof historyToJSON>[0];

export type HistoryEvent = NonNullable<History['events']>[number];

/** One run of a workflow, as it was recorded. */
export interface RecordedHistory {
  /** Its name in a report: a file, or a task key. */
  name: string;
  workflowId: string;
  history: History;
  /** Values that payloads refer to by digest, if recorded too. */
  stored?: ReadonlyMap<string, Uint8Array>;
}

export function typeOf(event: HistoryEvent): string {
  const [key] = Object.entries(event).find(([name, value]) => value && name.endsWith(ATTRIBUTES)) ?? ['unknown'];
  const name = key.replace(ATTRIBUTES, '');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const ATTRIBUTES = 'EventAttributes';

/** Number of the event, counted from 1. */
export function idOf(event: HistoryEvent): number {
  return Number(event.eventId);
}

/** The subject of an event; null if its type says enough. */
export function summaryOf(event: HistoryEvent): string | null {
  const type =
    event.activityTaskScheduledEventAttributes?.activityType?.name ??
    event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowType?.name;
  return type ?? textOf(event.userMetadata?.summary) ?? localActivityOf(event) ?? null;
}

/** Null if the event does not belong to a call of a step. */
export function stepOf(event: HistoryEvent, events: readonly HistoryEvent[], workflowId: string): string | null {
  const scheduled = scheduledBy(event);
  if (scheduled !== undefined) {
    const origin = events.find((candidate) => String(idOf(candidate)) === scheduled);
    return origin ? stepOf(origin, events, workflowId) : null;
  }
  const type = event.activityTaskScheduledEventAttributes?.activityType?.name;
  // The summary of a call is its path; those of hooks and of our own activities are prose.
  if (type) return isOperation(type) ? (textOf(event.userMetadata?.summary) ?? null) : null;
  const child = event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowId;
  return child?.startsWith(`${workflowId}/`) ? child.slice(workflowId.length + 1) : null;
}

/** The id of the scheduling event, for a later event of an activity. */
function scheduledBy(event: HistoryEvent): string | undefined {
  const attributes =
    event.activityTaskStartedEventAttributes ??
    endIn(event, 'activityTask') ??
    event.activityTaskCancelRequestedEventAttributes;
  return attributes?.scheduledEventId == null ? undefined : String(attributes.scheduledEventId);
}

type Payload = NonNullable<HistoryEvent['userMetadata']>['summary'];

function textOf(payload: Payload): string | undefined {
  const text = payload ? readable(payload) : undefined;
  return typeof text === 'string' ? text : undefined;
}

/** The SDK notes a local activity as a marker, whose details name its type. */
function localActivityOf({ markerRecordedEventAttributes: marker }: HistoryEvent): string | undefined {
  const [payload] = marker?.details?.data?.payloads ?? [];
  const data = payload ? readable(payload) : undefined;
  if (data === null || typeof data !== 'object' || !('activity_type' in data)) return undefined;
  return typeof data.activity_type === 'string' ? data.activity_type : undefined;
}

function readable(payload: NonNullable<Payload>): unknown {
  return attempt(() => defaultPayloadConverter.fromPayload(payload));
}
