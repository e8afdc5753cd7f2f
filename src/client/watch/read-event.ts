import { defaultPayloadConverter, fromPayloadsAtIndex } from '@temporalio/common';
import type { DecisionOutcome } from '../../contracts/approvals.js';
import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import { QUERIES, SIGNALS, UPDATES } from '../../contracts/names.js';
import type { TaskEvent } from '../../contracts/task-events.js';
import { isOperation } from '../../rules/agents.js';
import { endIn } from '../../server/temporal/event-ends.js';
import type { Connection } from '../connection/connect.js';
import type { HistoryEvent } from '../connection/history-events.js';
import { type AttemptProblem, problemOf } from '../explain/read-calls.js';
import { textReader } from '../explain/read-history.js';

export type ReadEvent = Pick<TaskEvent, 'type' | 'data'>;

type SignalAttributes = NonNullable<HistoryEvent['workflowExecutionSignaledEventAttributes']>;

/** Reads the events of one run in order. Skips the runtime's own activities and timers. */
export class EventReader {
  private readonly calls = new Map<string, { step: string; call: string }>();
  private readonly updates = new Map<string, string>();

  constructor(
    private readonly connection: Pick<Connection, 'codec' | 'temporal'>,
    private readonly task: string,
  ) {}

  /** @returns undefined for an event that is not reported. */
  async read(event: HistoryEvent): Promise<ReadEvent | undefined> {
    return (
      startEvent(event) ??
      (await this.signalEvent(event)) ??
      (await this.statusEvent(event)) ??
      (await this.callEvent(event)) ??
      (await this.localCallEvent(event)) ??
      this.childEvent(event) ??
      (await this.updateEvent(event))
    );
  }

  private async statusEvent({ upsertWorkflowSearchAttributesEventAttributes: upserted }: HistoryEvent) {
    const payload = upserted?.searchAttributes?.indexedFields?.AbilityStatus;
    if (!payload) return undefined;
    const status: unknown = defaultPayloadConverter.fromPayload(payload);
    const text = Array.isArray(status) ? status[0] : status;
    return typeof text === 'string' ? eventOf('task.status', { status: text }) : undefined;
  }

  private async callEvent(event: HistoryEvent): Promise<ReadEvent | undefined> {
    const scheduled = event.activityTaskScheduledEventAttributes;
    const call = scheduled?.activityType?.name;
    if (scheduled && call && isOperation(call)) {
      const step = (await textReader(this.connection)(event.userMetadata?.summary)) ?? '';
      this.calls.set(String(event.eventId), { step, call });
      return eventOf('call.started', { step, call });
    }
    const started = event.activityTaskStartedEventAttributes;
    const begun = this.calls.get(String(started?.scheduledEventId ?? endIn(event, 'activityTask')?.scheduledEventId));
    // Temporal records a call's start only together with its end.
    if (!begun || started) return undefined;
    return eventOf('call.ended', { ...begun, ...outcomeOf(event) });
  }

  /** A local activity has only an event at its end, which does not name the step. */
  private async localCallEvent({
    markerRecordedEventAttributes: marker,
  }: HistoryEvent): Promise<ReadEvent | undefined> {
    const payloads = marker?.details?.data?.payloads;
    if (!payloads) return undefined;
    const { activity_type: call } = fromPayloadsAtIndex<{ activity_type?: string }>(
      defaultPayloadConverter,
      0,
      payloads,
    );
    if (call === undefined || !isOperation(call)) return undefined;
    const error = problemOf(marker.failure);
    return eventOf('call.ended', { step: null, call, ...(error ? failed(error) : { status: 'succeeded' }) });
  }

  private childEvent(event: HistoryEvent): ReadEvent | undefined {
    const child = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (child?.workflowId?.startsWith(`${this.task}/`)) {
      const begun = { step: child.workflowId.slice(this.task.length + 1), call: child.workflowType?.name ?? '' };
      this.calls.set(String(event.eventId), begun);
      return eventOf('child.started', { ...begun, task: child.workflowId });
    }
    const begun = this.calls.get(String(endIn(event, 'childWorkflowExecution')?.initiatedEventId));
    if (!begun) return undefined;
    const isDone = Boolean(event.childWorkflowExecutionCompletedEventAttributes);
    return eventOf('child.ended', {
      ...begun,
      status: isDone ? 'succeeded' : 'failed',
      task: `${this.task}/${begun.step}`,
    });
  }

  private async updateEvent(event: HistoryEvent): Promise<ReadEvent | undefined> {
    const accepted = event.workflowExecutionUpdateAcceptedEventAttributes;
    const name = accepted?.acceptedRequest?.input?.name;
    if (accepted && name) this.updates.set(String(event.eventId), name);
    const completed = event.workflowExecutionUpdateCompletedEventAttributes;
    const known = completed && this.updates.get(String(completed.acceptedEventId));
    return known === UPDATES.modify ? eventOf('task.changed', {}) : undefined;
  }

  /** Whether it counted is known by the worker, for decisions that came with an id. */
  private async decisionEvent(signal: SignalAttributes, name: 'approve' | 'deny'): Promise<ReadEvent> {
    const payloads = await this.connection.codec.decode(signal.input?.payloads ?? []);
    const sent = payloads.length === 0 ? null : fromPayloadsAtIndex<unknown>(defaultPayloadConverter, 0, payloads);
    const { id, by, request_changes }: JsonObject = isJsonObject(sent) ? sent : {};
    const outcome = typeof id === 'string' ? await this.outcomeOf(id) : null;
    return eventOf('approval.decided', {
      decision: name === 'deny' && request_changes === true ? 'request_changes' : name,
      ...(typeof by === 'string' && { by }),
      ...outcome,
    });
  }

  private outcomeOf(id: string): Promise<DecisionOutcome | null> {
    const handle = this.connection.temporal.workflow.getHandle(this.task);
    return handle.query<DecisionOutcome | null, [string]>(QUERIES.decision, id).catch(() => null);
  }

  /** Skips the runtime's own signals, whose names contain a colon. */
  private async signalEvent({
    workflowExecutionSignaledEventAttributes: signal,
  }: HistoryEvent): Promise<ReadEvent | undefined> {
    const name = signal?.signalName;
    if (!name || name.includes(':')) return undefined;
    if (name === SIGNALS.run) return eventOf('task.run', {});
    if (name === SIGNALS.approve || name === SIGNALS.deny) return this.decisionEvent(signal, name);
    return eventOf('task.signal', { name });
  }
}

function startEvent({ workflowExecutionStartedEventAttributes: started }: HistoryEvent): ReadEvent | undefined {
  if (!started || started.continuedExecutionRunId) return undefined;
  return eventOf('task.created', { ability: started.workflowType?.name ?? '' });
}

function outcomeOf(event: HistoryEvent): JsonObject {
  if (event.activityTaskCompletedEventAttributes) return { status: 'succeeded' };
  if (event.activityTaskCanceledEventAttributes) return { status: 'cancelled' };
  const ended = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
  return failed(problemOf(ended?.failure) ?? { code: 'internal.error', message: 'It failed' });
}

function failed({ code, message }: AttemptProblem): JsonObject {
  return { status: 'failed', error: { code, message } };
}

function eventOf(type: TaskEvent['type'], data: JsonObject): ReadEvent {
  return { type, data };
}
