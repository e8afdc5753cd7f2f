import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter, fromPayloadsAtIndex } from '@temporalio/common';
import type { AcquireAnswer } from '../contracts/activities.js';
import type { SlotAnswer } from '../contracts/concurrency.js';
import { ACTIVITIES, SLOT_SIGNAL } from '../contracts/names.js';
import { millisecondsOf, type Timestamp } from './test-clock.js';

/** Scheduled work of one run that has not ended, from its history. */
export interface Unfinished {
  isClosed: boolean;
  hasWorkflowTask: boolean;
  /** The last error of the workflow code, unless it has recovered. */
  fault: string | undefined;
  timers: Map<string, number>;
  /** Delay before each next attempt of an activity, ms. */
  activities: Map<string, (attempt: number) => number>;
  /** Workflow ids. */
  children: Map<string, string>;
  /** Signals and cancellations on their way to other workflows. */
  sent: Set<string>;
  /** Workflow id of the lock in which the task waits for its turn. */
  lock: string | undefined;
}

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
type HistoryEvent = NonNullable<History['events']>[number];

export function readUnfinished({ events }: History): Unfinished {
  const state: Unfinished = {
    isClosed: false,
    hasWorkflowTask: false,
    fault: undefined,
    timers: new Map(),
    activities: new Map(),
    children: new Map(),
    sent: new Set(),
    lock: undefined,
  };
  const scheduled = new Map<number, string>();
  for (const event of events ?? []) {
    readWorkflowTask(event, state);
    if (isClose(event)) state.isClosed = true;
    readTimer(event, state);
    readActivity(event, state, scheduled);
    readChild(event, state);
    readSent(event, state);
    readTurn(event, state);
  }
  return state;
}

/** Temporal reschedules a failed workflow task. */
function readWorkflowTask(event: HistoryEvent, state: Unfinished): void {
  const { workflowTaskFailedEventAttributes: failed, workflowTaskCompletedEventAttributes: completed } = event;
  if (event.workflowTaskScheduledEventAttributes) state.hasWorkflowTask = true;
  if (completed) state.hasWorkflowTask = false;
  if (completed) state.fault = undefined;
  if (failed) state.fault = failed.failure?.message ?? 'it does not say how';
}

function isClose(event: HistoryEvent): boolean {
  return [
    event.workflowExecutionCompletedEventAttributes,
    event.workflowExecutionFailedEventAttributes,
    event.workflowExecutionCanceledEventAttributes,
    event.workflowExecutionTerminatedEventAttributes,
    event.workflowExecutionTimedOutEventAttributes,
  ].some(Boolean);
}

function readTimer(event: HistoryEvent, { timers }: Unfinished): void {
  const { timerStartedEventAttributes: started } = event;
  if (started?.timerId) {
    const length = millisecondsOf(started.startToFireTimeout as Timestamp | null);
    timers.set(started.timerId, millisecondsOf(event.eventTime as Timestamp | null) + length);
  }
  const ended = event.timerFiredEventAttributes ?? event.timerCanceledEventAttributes;
  if (ended?.timerId) timers.delete(ended.timerId);
}

function readActivity(event: HistoryEvent, { activities }: Unfinished, scheduled: Map<number, string>): void {
  const { activityTaskScheduledEventAttributes: begun } = event;
  if (begun?.activityId) {
    scheduled.set(Number(event.eventId), begun.activityId);
    const { initialInterval, maximumInterval, backoffCoefficient } = begun.retryPolicy ?? {};
    const first = millisecondsOf(initialInterval as Timestamp | null);
    const max = millisecondsOf(maximumInterval as Timestamp | null) || Number.POSITIVE_INFINITY;
    // A retry is at least the second attempt.
    activities.set(begun.activityId, (attempt) => Math.min(first * (backoffCoefficient ?? 1) ** (attempt - 2), max));
  }
  const ended =
    event.activityTaskCompletedEventAttributes ??
    event.activityTaskFailedEventAttributes ??
    event.activityTaskTimedOutEventAttributes ??
    event.activityTaskCanceledEventAttributes;
  if (ended) activities.delete(scheduled.get(Number(ended.scheduledEventId)) ?? '');
}

function readChild(event: HistoryEvent, { children }: Unfinished): void {
  const { startChildWorkflowExecutionInitiatedEventAttributes: begun } = event;
  if (begun?.workflowId) children.set(String(event.eventId), begun.workflowId);
  const ended =
    event.childWorkflowExecutionCompletedEventAttributes ??
    event.childWorkflowExecutionFailedEventAttributes ??
    event.childWorkflowExecutionCanceledEventAttributes ??
    event.childWorkflowExecutionTerminatedEventAttributes ??
    event.childWorkflowExecutionTimedOutEventAttributes ??
    event.startChildWorkflowExecutionFailedEventAttributes;
  if (ended) children.delete(String(ended.initiatedEventId));
}

function readSent(event: HistoryEvent, { sent }: Unfinished): void {
  const begun =
    event.signalExternalWorkflowExecutionInitiatedEventAttributes ??
    event.requestCancelExternalWorkflowExecutionInitiatedEventAttributes;
  if (begun) sent.add(String(event.eventId));
  const ended =
    event.externalWorkflowExecutionSignaledEventAttributes ??
    event.signalExternalWorkflowExecutionFailedEventAttributes ??
    event.externalWorkflowExecutionCancelRequestedEventAttributes ??
    event.requestCancelExternalWorkflowExecutionFailedEventAttributes;
  if (ended) sent.delete(String(ended.initiatedEventId));
}

/** A task asks for its turn in a local activity, and is answered by signal. */
function readTurn(event: HistoryEvent, state: Unfinished): void {
  const { markerRecordedEventAttributes: marker, workflowExecutionSignaledEventAttributes: signal } = event;
  const about = marker && fromPayloads<{ activity_type?: string }>(marker.details?.data);
  if (marker && about?.activity_type === ACTIVITIES.acquire && !state.lock) {
    state.lock = fromPayloads<AcquireAnswer>(marker.details?.result)?.lock;
  }
  if (signal?.signalName !== SLOT_SIGNAL) return;
  const said = fromPayloads<SlotAnswer>(signal.input);
  if (said?.answer === 'granted' || said?.answer === 'busy') state.lock = undefined;
}

type Payloads = Parameters<typeof fromPayloadsAtIndex>[2];

function fromPayloads<T>(from: { payloads?: Payloads } | null | undefined): T | undefined {
  return from?.payloads ? fromPayloadsAtIndex<T>(defaultPayloadConverter, 0, from.payloads) : undefined;
}
