import { type Client, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter, fromPayloadsAtIndex } from '@temporalio/common';
import { type Connection, viewTask } from '../client/index.js';
import type { AcquireAnswer } from '../contracts/activities.js';
import type { SlotAnswer } from '../contracts/concurrency.js';
import { ACTIVITIES, SLOT_SIGNAL } from '../contracts/names.js';
import { AbilityError, type Problem } from '../contracts/problem.js';
import { endIn } from '../server/temporal/event-ends.js';
import type { CaseApprovals, CaseSignals } from './approvals-and-signals.js';
import { millisecondsOf, type TestClock, type Timestamp } from './test-clock.js';

/** Limit of a case in real time; its simulated waits take none. */
const LONGEST_MS = 5 * 60_000;
const LOOK_MS = 5;
/** Workflow code that fails for longer is not going to recover. */
const FAULT_MS = 3000;

/**
 * Drives a task to its end: lets it work, decides its approvals, sends its signals, and moves the clock to the
 * next due moment, never past it, so that nothing expires that the case decides. @returns undefined once it has
 * ended, else why it never will. @throws the reason of the signal.
 */
export async function driveTask(
  connection: Connection,
  clock: TestClock,
  task: string,
  approvals: CaseApprovals,
  signals: CaseSignals,
  signal: AbortSignal,
): Promise<Problem | undefined> {
  const deadline = Date.now() + LONGEST_MS;
  let wellAt = Date.now();
  for (;;) {
    signal.throwIfAborted();
    const { open, isBusy, wakesAt, fault } = await findPendingWork(connection.temporal, task);
    if (open.length === 0) return undefined;
    if (fault === undefined) wellAt = Date.now();
    else if (Date.now() - wellAt > FAULT_MS) return stuck(`the workflow code fails: ${fault}`);
    if (Date.now() > deadline) return stuck(`it was still at work after ${LONGEST_MS / 60_000} minutes`);
    if (isBusy) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      continue;
    }
    if (await sayAll(connection, open, approvals, signals)) continue;
    const [undecided] = approvals.undecided;
    if (undecided) return undecided;
    if (wakesAt === undefined) {
      return stuck(
        'it waits for something other than time, such as a signal',
        'Send it: `signals: [{ name: NAME, payload: JSON }]`.',
      );
    }
    await clock.skip(Math.max(1, wakesAt - (await clock.now())));
  }
}

/** Makes the decisions and sends the signals that are due. @returns whether there were any. */
async function sayAll(
  connection: Connection,
  open: readonly string[],
  approvals: CaseApprovals,
  signals: CaseSignals,
): Promise<boolean> {
  let said = false;
  for (const workflow of open) {
    const { result } = await viewTask(connection, workflow, 'anyone');
    const decided = await approvals.decideOn(workflow, result.approvals);
    const sent = await signals.sendTo(workflow, result);
    said ||= decided || sent;
  }
  return said;
}

function stuck(why: string, suggestion = 'Look at the step that was last at work.'): Problem {
  return new AbilityError({
    code: 'test.no_end',
    message: `The task does not end: ${why}`,
    suggestion,
  }).toProblem();
}

export interface PendingWork {
  /** The task and its open children, by workflow id; none once the task has ended. */
  open: string[];
  /** Whether work continues without moving the clock. */
  isBusy: boolean;
  /** Time of the next timer or attempt, ms since 1970; undefined: none. */
  wakesAt: number | undefined;
  /** The repeated error of the workflow code; undefined if there is none. */
  fault: string | undefined;
  /** Workflow ids of locks that the workflows wait for. */
  locks: string[];
}

/** A task that waits for its turn is busy until its lock is idle: then all events are in the histories. */
async function findPendingWork(client: Client, task: string): Promise<PendingWork> {
  const seen = await look(client, task);
  if (seen.isBusy || seen.locks.length === 0) return seen;
  const atWork = await Promise.all(seen.locks.map((lock) => isAtWork(client.workflow.getHandle(lock))));
  return atWork.includes(true) ? { ...seen, isBusy: true } : look(client, task);
}

async function isAtWork(lock: WorkflowHandle): Promise<boolean> {
  const { isClosed, hasWorkflowTask, sent } = readUnfinished(await lock.fetchHistory());
  return !isClosed && (hasWorkflowTask || sent.size > 0);
}

async function look(client: Client, task: string): Promise<PendingWork> {
  const handle = client.workflow.getHandle(task);
  const unfinished = readUnfinished(await handle.fetchHistory());
  if (unfinished.isClosed) return { open: [], isBusy: false, wakesAt: undefined, fault: undefined, locks: [] };
  const retries = unfinished.activities.size > 0 ? await findRetries(handle, unfinished) : { isBusy: false, due: [] };
  const own: PendingWork = {
    open: [task],
    isBusy: unfinished.hasWorkflowTask || retries.isBusy,
    wakesAt: earliest([...unfinished.timers.values(), ...retries.due]),
    fault: unfinished.fault,
    locks: unfinished.lock === undefined ? [] : [unfinished.lock],
  };
  const children = await Promise.all([...unfinished.children.values()].map((child) => findChildWork(client, child)));
  return children.reduce(
    (all, child): PendingWork => ({
      open: [...all.open, ...child.open],
      // A missing child is about to start, and the end of a closed one is about to reach its parent.
      isBusy: all.isBusy || child.isBusy || child.open.length === 0,
      wakesAt: earliest([all.wakesAt, child.wakesAt]),
      fault: all.fault ?? child.fault,
      locks: [...all.locks, ...child.locks],
    }),
    own,
  );
}

async function findChildWork(client: Client, child: string): Promise<PendingWork> {
  try {
    return await look(client, child);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    return { open: [], isBusy: true, wakesAt: undefined, fault: undefined, locks: [] };
  }
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}

/** Due times of retries; any other pending activity is running. */
async function findRetries(
  handle: WorkflowHandle,
  { activities }: Unfinished,
): Promise<{ isBusy: boolean; due: number[] }> {
  const { raw } = await handle.describe();
  const due: number[] = [];
  let isBusy = false;
  for (const { activityId, attempt, lastStartedTime, lastAttemptCompleteTime } of raw.pendingActivities ?? []) {
    const ended = millisecondsOf(lastAttemptCompleteTime as Timestamp | null);
    const waits = ended > 0 && ended >= millisecondsOf(lastStartedTime as Timestamp | null);
    const backoff = activities.get(activityId ?? '');
    if (waits && backoff) due.push(ended + backoff(attempt ?? 2));
    else isBusy = true;
  }
  // An activity in the history that the server no longer lists has just ended; its workflow task comes next.
  return { isBusy: isBusy || due.length === 0, due };
}

/** Scheduled work of one run that has not ended, from its history. */
interface Unfinished {
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
    if (endIn(event, 'workflowExecution')) state.isClosed = true;
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
  const ended = endIn(event, 'activityTask');
  if (ended) activities.delete(scheduled.get(Number(ended.scheduledEventId)) ?? '');
}

function readChild(event: HistoryEvent, { children }: Unfinished): void {
  const { startChildWorkflowExecutionInitiatedEventAttributes: begun } = event;
  if (begun?.workflowId) children.set(String(event.eventId), begun.workflowId);
  const ended = endIn(event, 'childWorkflowExecution') ?? event.startChildWorkflowExecutionFailedEventAttributes;
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
