import { defaultPayloadConverter } from '@temporalio/common';
import type { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { PHASES } from '../../contracts/hooks.js';
import { isModelKey } from '../../rules/agents/model-key.js';

/** The events of one run, as Temporal has them. */
export type History = Parameters<typeof historyToJSON>[0];

/** One event of a history. */
export type HistoryEvent = NonNullable<History['events']>[number];

/** One run of a workflow, as it was recorded. */
export interface RecordedHistory {
  /** Its name in a report: a file, or a task key. */
  name: string;
  workflowId: string;
  history: History;
  /** Values that its payloads refer to by digest, where they came along with it. */
  stored?: ReadonlyMap<string, Uint8Array>;
}

/** Temporal's name of an event, such as `ActivityTaskScheduled`. */
export function typeOf(event: HistoryEvent): string {
  const [key] = Object.entries(event).find(([name, value]) => value && name.endsWith(ATTRIBUTES)) ?? ['unknown'];
  const name = key.replace(ATTRIBUTES, '');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const ATTRIBUTES = 'EventAttributes';

/** Number of an event in its history, counted from 1. */
export function idOf(event: HistoryEvent): number {
  return Number(event.eventId);
}

/** Describes an event where its type alone does not. */
export function summaryOf(event: HistoryEvent): string | null {
  const type =
    event.activityTaskScheduledEventAttributes?.activityType?.name ??
    event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowType?.name;
  return type ?? textOf(event.userMetadata?.summary) ?? localActivityOf(event) ?? null;
}

/** Path of the step an event belongs to; null if it is not a call of a step. */
export function stepOf(event: HistoryEvent, events: readonly HistoryEvent[], workflowId: string): string | null {
  const scheduled = scheduledBy(event);
  if (scheduled !== undefined) {
    const origin = events.find((candidate) => String(idOf(candidate)) === scheduled);
    return origin ? stepOf(origin, events, workflowId) : null;
  }
  const type = event.activityTaskScheduledEventAttributes?.activityType?.name;
  // The summary of a call is its path; those of hooks and of our own activities are words for people.
  if (type) return isOperation(type) ? (textOf(event.userMetadata?.summary) ?? null) : null;
  const child = event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowId;
  return child?.startsWith(`${workflowId}/`) ? child.slice(workflowId.length + 1) : null;
}

function isOperation(type: string): boolean {
  return (!type.includes(':') || isModelKey(type)) && !(PHASES as readonly string[]).includes(type);
}

/** Id of the event that scheduled the activity of this one. */
function scheduledBy(event: HistoryEvent): string | undefined {
  const attributes =
    event.activityTaskStartedEventAttributes ??
    event.activityTaskCompletedEventAttributes ??
    event.activityTaskFailedEventAttributes ??
    event.activityTaskTimedOutEventAttributes ??
    event.activityTaskCanceledEventAttributes ??
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
  try {
    return defaultPayloadConverter.fromPayload(payload);
  } catch {
    return undefined;
  }
}
