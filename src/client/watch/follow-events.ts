import { isGrpcServiceError } from '@temporalio/client';
import { type AbilityError, usageError } from '../../contracts/problem.js';
import type { TaskEvent } from '../../contracts/task-events.js';
import { endIn } from '../../server/temporal/event-ends.js';
import { isoOf } from '../../server/temporal/read-start.js';
import type { Connection } from '../connection/connect.js';
import { type HistoryEvent, opened } from '../connection/history-events.js';
import { asking, isUnknownWorkflow, taskNotFound } from '../connection/temporal-errors.js';
import { openOwn } from '../view/open-task.js';
import { awaitResult } from '../view/read-result.js';
import { EventReader } from './read-event.js';

const PAGE = 500;
const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;
const PLACE = /^([0-9a-f-]{36})\.([1-9]\d{0,8})$/;

/**
 * Events until the task's end, from its history: a client that returns with the id of its last event misses none,
 * even after a restart. All followers of a task on a connection share one request.
 * @param after id of the last known event; absent: all events.
 * @throws AbilityError `task.not_found`, `task.other_project`; `usage.invalid` for an id of no event of it.
 */
export async function followEvents(
  connection: Connection,
  id: string,
  after: string | undefined,
  signal: AbortSignal,
): Promise<AsyncGenerator<TaskEvent, void>> {
  const task = await asking(connection, () => openOwn(connection, id));
  if (!task) throw taskNotFound(id);
  const first = task.description.raw.workflowExecutionInfo?.firstRunId || task.description.runId;
  const place = placeAfter(after);
  if (place) await refuseOtherRun(connection, id, place.run);
  const { run, known } = place ?? { run: first, known: 0 };
  const shared = {
    owner: connection,
    name: `${id} ${run}`,
    read: (ending: AbortSignal) => readRuns(connection, id, run, ending),
  };
  return listenTo(shared, ({ id: event }) => isBehind(event, run, known), signal);
}

/** Events of other runs always follow those of the first run. */
function isBehind(event: string, run: string, known: number): boolean {
  const [, of, number] = PLACE.exec(event) ?? [];
  return of !== run || Number(number) > known;
}

function placeAfter(after: string | undefined): { run: string; known: number } | undefined {
  if (after === undefined || after === '') return undefined;
  const [, run, known] = PLACE.exec(after) ?? [];
  if (run !== undefined && known !== undefined) return { run, known: Number(known) };
  throw noEvent(after);
}

/** @throws AbilityError `usage.invalid` if the run is not of this task, or no longer in Temporal. */
async function refuseOtherRun(connection: Connection, id: string, run: string): Promise<void> {
  try {
    await asking(connection, () => connection.temporal.workflow.getHandle(id, run).describe());
  } catch (error) {
    if (isUnknownWorkflow(error)) throw noEvent(`${run}.`, error);
    throw error;
  }
}

function noEvent(after: string, cause?: unknown): AbilityError {
  const message = `${JSON.stringify(after)} is no id of an event of this task`;
  const suggestion = 'Pass the id of the last event that was received, or none.';
  return usageError(message, suggestion, cause);
}

/** All events from the beginning of a run on. */
async function* readRuns(
  connection: Connection,
  id: string,
  from: string,
  signal: AbortSignal,
): AsyncGenerator<TaskEvent, void> {
  let run: string | undefined = from;
  while (run !== undefined) {
    const current: string = run;
    const reader = new EventReader(connection, id);
    run = undefined;
    for await (const event of eventsOf(connection, id, current, signal)) {
      const shown = await reader.read(event);
      const about = { id: `${current}.${Number(event.eventId)}`, time: isoOf(event.eventTime) ?? '' };
      if (shown) yield { ...about, ...shown };
      const next: string | null | undefined = event.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
      if (next) run = next;
      else if (endIn(event, 'workflowExecution')) yield { ...about, ...(await readEnd(connection, id)) };
    }
  }
}

async function readEnd(connection: Connection, id: string): Promise<Pick<TaskEvent, 'type' | 'data'>> {
  const { status, error } = await awaitResult(connection, id);
  return {
    type: 'task.ended',
    data: { status, error: error && { code: error.code, message: error.message, step: error.step ?? null } },
  };
}

/** The events of one run as they happen, by long polling. */
async function* eventsOf(
  { temporal, namespace, codec }: Connection,
  workflowId: string,
  runId: string,
  signal: AbortSignal,
): AsyncGenerator<HistoryEvent, void> {
  let nextPageToken: Uint8Array | undefined;
  while (!signal.aborted) {
    const request = {
      ...{ namespace, execution: { workflowId, runId }, maximumPageSize: PAGE, waitNewEvent: true },
      ...(nextPageToken && { nextPageToken }),
    };
    const ask = () => temporal.workflowService.getWorkflowExecutionHistory(request);
    const page = await temporal.withAbortSignal(signal, ask).catch((error: unknown) => {
      const code = isGrpcServiceError(error) ? error.code : undefined;
      if (signal.aborted || code === CANCELLED) return 'ended';
      if (code === DEADLINE_EXCEEDED) return 'quiet';
      throw error;
    });
    if (page === 'ended') return;
    if (page === 'quiet') continue;
    yield* opened(codec, page.history?.events);
    if (!page.nextPageToken?.length) return;
    nextPageToken = page.nextPageToken;
  }
}

/** A source that is read once for all its listeners: everything so far, and the listeners that wait for more. */
interface Feed<T> {
  readonly read: (ending: AbortSignal) => AsyncIterable<T>;
  readonly items: T[];
  readonly ending: AbortController;
  /** Each is called once, with the next item or at the end. */
  readonly waiting: Set<() => void>;
  listeners: number;
  ended: boolean;
  error?: unknown;
  /** Excludes new listeners from this feed. */
  forget(): void;
}

/** Identifies a feed by owner and name. It ends with its listeners, not with its owner. */
interface Shared<T> {
  owner: object;
  name: string;
  /** Starts with the first listener; aborted after the last one leaves. */
  read: Feed<T>['read'];
}

const feeds = new WeakMap<object, Map<string, Feed<never>>>();

/** All items from the start, for each listener at its own pace. @throws errors of the source, to each. */
export async function* listenTo<T>(
  shared: Shared<T>,
  wants: (item: T) => boolean,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  const feed = join(shared);
  try {
    for (let at = 0; !signal.aborted; ) {
      while (at < feed.items.length && !signal.aborted) {
        const item = feed.items[at++] as T;
        if (wants(item)) yield item;
      }
      if (at < feed.items.length) continue;
      if (feed.ended) {
        if (feed.error !== undefined) throw feed.error;
        return;
      }
      await news(feed, signal);
    }
  } finally {
    leave(feed);
  }
}

function join<T>({ owner, name, read }: Shared<T>): Feed<T> {
  const named = feeds.get(owner) ?? new Map<string, Feed<never>>();
  feeds.set(owner, named);
  const known = named.get(name) as Feed<T> | undefined;
  if (known) {
    known.listeners += 1;
    return known;
  }
  const feed: Feed<T> = {
    read,
    items: [],
    ending: new AbortController(),
    waiting: new Set(),
    listeners: 1,
    ended: false,
    forget: () => {
      if (named.get(name) === (feed as unknown)) named.delete(name);
    },
  };
  named.set(name, feed as unknown as Feed<never>);
  void fill(feed);
  return feed;
}

function leave<T>(feed: Feed<T>): void {
  feed.listeners -= 1;
  if (feed.listeners > 0) return;
  feed.forget();
  feed.ending.abort();
}

async function fill<T>(feed: Feed<T>): Promise<void> {
  try {
    for await (const item of feed.read(feed.ending.signal)) {
      feed.items.push(item);
      wake(feed);
    }
  } catch (error) {
    feed.error = error;
  }
  feed.ended = true;
  feed.forget();
  wake(feed);
}

function wake<T>({ waiting }: Feed<T>): void {
  const all = [...waiting];
  waiting.clear();
  for (const call of all) call();
}

function news<T>({ waiting }: Feed<T>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      signal.removeEventListener('abort', end);
      waiting.delete(end);
      resolve();
    };
    waiting.add(end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
