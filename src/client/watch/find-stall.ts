import type { DescribeWorkflowExecutionResponse } from '@temporalio/client';
import { isHeldQueue } from '../../contracts/names.js';
import { isServed } from '../../server/temporal/is-served.js';
import { openFailures } from '../../server/temporal/open-failures.js';
import { readBuilds, useBuild } from '../checks/check-builds.js';
import type { Connection } from '../connection/connect.js';
import { placementsHere } from '../connection/find-workers.js';
import { type HistoryEvent, lastEvents } from '../connection/history-events.js';
import type { PendingActivity } from '../explain/read-calls.js';

/** Work that waits for a worker too long. */
export interface Stall {
  /** Workflow id of the task, or of one that it has called. */
  task: string;
  /** `turn`: the next workflow task; `key`: the task waits for a worker with its key. */
  what: 'turn' | 'call' | 'key';
  queue: string;
  /** One sentence without a full stop. */
  message: string;
  suggestion: string;
}

interface Waiting {
  task: string;
  what: 'turn' | 'call' | 'key';
  queue: string;
  /** The build that began the task, which alone goes on with it. */
  build?: string | undefined;
  /** Only for `key`: why the worker that took the task refused it. */
  code?: NotServed;
}

type Description = DescribeWorkflowExecutionResponse;

/** With a worker, no work waits that long. Milliseconds. */
export const STALL_MS = 5000;
/** `SCHEDULED` of Temporal's pending workflow tasks and of its pending activities. */
const SCHEDULED = 1;
/** The maximum depth of called tasks. */
const DEEPEST = 8;

interface Seen {
  /** Milliseconds of `performance.now()`. */
  since: number;
  /** As reported. */
  stall?: Stall;
}

/** Reports work that no worker takes up. Measures on this process's clock, since server clocks differ. */
export class StallWatch {
  private seen = new Map<string, Seen>();
  private current: Stall[] = [];
  /** Tasks already reported as `key`: between two attempts, the state does not show. */
  private readonly keyless = new Set<string>();
  private readonly keys: KeyWaits;

  constructor(private readonly connection: Connection) {
    this.keys = new KeyWaits(connection);
  }

  get stall(): Stall | undefined {
    return this.current[0];
  }

  /** Checks a task and those it called. @returns work that has stalled since the last check. */
  async look(id: string, description: Description, now = performance.now()): Promise<Stall[]> {
    const waiting = await findWaiting(this.connection, this.keys, id, description);
    const seen = new Map<string, Seen>();
    const current = new Map<string, Stall>();
    const fresh = new Map<string, Stall>();
    for (const [key, what] of waiting) {
      const entry: Seen = this.seen.get(key) ?? { since: now };
      seen.set(key, entry);
      if (what.what === 'key' ? this.keyless.has(what.task) : now - entry.since < STALL_MS) continue;
      if (what.what === 'key') this.keyless.add(what.task);
      const place = `${what.what} ${what.queue} ${what.task}`;
      const stall = entry.stall ?? (await stallOf(this.connection, what));
      current.set(place, stall);
      if (!entry.stall) fresh.set(place, stall);
      entry.stall = stall;
    }
    this.seen = seen;
    this.current = [...current.values()];
    return [...fresh.values()];
  }
}

/** Waiting work by a key that changes as soon as a worker takes it up. */
async function findWaiting(
  connection: Connection,
  keys: KeyWaits,
  id: string,
  {
    pendingWorkflowTask: turn,
    pendingActivities,
    pendingChildren,
    executionConfig,
    workflowExecutionInfo,
  }: Description,
  depth = 0,
): Promise<Map<string, Waiting>> {
  const found = new Map<string, Waiting>();
  const queue = executionConfig?.taskQueue?.name ?? workflowExecutionInfo?.taskQueue ?? '';
  const build = workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? undefined;
  if (turn?.state === SCHEDULED)
    found.set(`${id} turn ${timeOf(turn.scheduledTime)}`, { task: id, what: 'turn', queue, build });
  const tried = openFailures(connection.codec, pendingActivities ?? [])
    .map(({ lastFailure }) => notServed(lastFailure))
    .find(Boolean);
  const isIdle = !turn && !pendingActivities?.length && !pendingChildren?.length;
  const code = tried ?? (isIdle ? await keys.find(id, workflowExecutionInfo?.historyLength) : undefined);
  if (code) found.set(`${id} key`, { task: id, what: 'key', queue, code });
  for (const activity of pendingActivities ?? []) {
    if (activity.state !== SCHEDULED || activity.paused || isBackingOff(activity)) continue;
    const place =
      activity.activityOptions?.taskQueue?.name ?? (await queueOfCall(connection, id, activity.activityId, queue));
    found.set(`${id} call ${activity.activityId} ${activity.attempt}`, { task: id, what: 'call', queue: place, build });
  }
  if (depth === DEEPEST) return found;
  for (const { workflowId } of pendingChildren ?? []) {
    if (!workflowId) continue;
    const child = await describe(connection, workflowId);
    if (child)
      for (const [key, what] of await findWaiting(connection, keys, workflowId, child, depth + 1)) found.set(key, what);
  }
  return found;
}

interface PendingCall {
  attempt?: number | null;
  nextAttemptScheduleTime?: unknown;
  scheduledTime?: unknown;
}

/** Between two attempts; some servers only report the scheduled time of the next one. */
function isBackingOff({ attempt, nextAttemptScheduleTime, scheduledTime }: PendingCall): boolean {
  if (nextAttemptScheduleTime) return true;
  return (attempt ?? 1) > 1 && Date.now() - timeOf(scheduledTime) < STALL_MS;
}

/** Finds the queue in the history, if the server does not report it. */
async function queueOfCall(
  connection: Connection,
  id: string,
  activityId: string | null | undefined,
  queue: string,
): Promise<string> {
  try {
    const { events } = await connection.temporal.workflow.getHandle(id).fetchHistory();
    const scheduled = events?.find((event) => event.activityTaskScheduledEventAttributes?.activityId === activityId);
    return scheduled?.activityTaskScheduledEventAttributes?.taskQueue?.name ?? queue;
  } catch {
    return queue;
  }
}

async function describe({ temporal }: Connection, id: string): Promise<Description | undefined> {
  // It has ended, or the next poll finds it.
  const seen = await temporal.workflow
    .getHandle(id)
    .describe()
    .catch(() => undefined);
  return seen?.raw;
}

function timeOf(time: unknown): number {
  const { seconds = 0, nanos = 0 } = (time ?? {}) as { seconds?: unknown; nanos?: number | null };
  return Number(seconds) * 1000 + (nanos ?? 0) / 1e6;
}

async function stallOf(connection: Connection, { task, what, queue, build, code }: Waiting): Promise<Stall> {
  if (code) return keylessStall(task, queue, code);
  const which = what === 'turn' ? 'the next turn' : 'a call';
  const message = `No worker has taken up ${which} of ${task} for ${STALL_MS / 1000} s, on the queue ${queue}`;
  if (isHeldQueue(queue)) {
    const suggestion =
      'Only the worker that has the MCP session of the task can; without it the call fails within a minute';
    return { task, what, queue, message, suggestion };
  }
  return { task, what, queue, message, suggestion: await helpFor(connection, queue, build) };
}

function keylessStall(task: string, queue: string, code: NotServed): Stall {
  const isKey = code === 'seal.unknown_key';
  const lacks = isKey ? 'does not have the key that the task was sealed with' : 'is of a build that cannot run it';
  const message = `A worker on the queue ${queue} has taken up ${task} and ${lacks} (${code}); the task waits for a worker that can run it`;
  const suggestion = isKey
    ? 'Give the workers of the environment the same keys: ABILITY_SEAL_KEYS, or .system/keys of their project; then restart them'
    : 'Start a worker of the build that planned it, or of a later one: ability worker';
  return { task, what: 'key', queue, message, suggestion };
}

async function helpFor(connection: Connection, queue: string, build: string | undefined): Promise<string> {
  if (connection.isOwnRuntime) {
    return `Read ${connection.paths.runtimeLog}; restart the runtime: ability down && ability up --detach`;
  }
  const { project, serverFlags = `--address ${connection.address}` } = connection;
  const [placement, ...others] = placementsHere(connection).filter((name) => queue.endsWith(`-${name}`));
  const isOurs = placement !== undefined && others.length === 0 && queue.startsWith(`${project}-`);
  const environment = isOurs ? queue.slice(project.length + 1, -placement.length - 1) : '';
  const place = environment === '' ? '' : ` --env ${environment} --placement ${placement}`;
  if (build !== undefined) return `Start a worker of its build: ability worker ${serverFlags}${place} --build ${build}`;
  const builds = environment !== '' ? await readBuilds(connection, environment).catch(() => undefined) : undefined;
  const isNoneCurrent =
    builds && builds.current === undefined && (await isServed(connection.temporal, connection.namespace, queue));
  if (isNoneCurrent)
    return `Its workers have builds (${builds.all.map(({ id }) => id).join(', ')}), none of which is current: ${useBuild(builds.deployment)}`;
  return `Start a worker: ability worker ${serverFlags}${place}`;
}

const LOOK_MS = 1500;

/** Waits for the result of workflow `id`, and reports if no worker takes up its tasks. */
export async function watchingStalls<T>(
  connection: Connection,
  id: string,
  onStall: ((stall: Stall) => void) | undefined,
  action: () => Promise<T>,
): Promise<T> {
  if (!onStall) return action();
  const watch = new StallWatch(connection);
  let looking = Promise.resolve();
  let isOver = false;
  const look = async (): Promise<void> => {
    try {
      const { raw } = await connection.temporal.workflow.getHandle(id).describe();
      const stalls = await watch.look(id, raw);
      if (!isOver) for (const stall of stalls) onStall(stall);
    } catch {
      // The wait for the result reports errors.
    }
  };
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, LOOK_MS);
  try {
    return await action();
  } finally {
    isOver = true;
    // A pending request ends with the connection; its errors are ignored.
    clearInterval(timer);
  }
}

/** Codes after which a task waits for another worker, see `untilKeyed` in workflows. */
const FOR_ANOTHER = ['seal.unknown_key', 'engine.unsupported'] as const;
type NotServed = (typeof FOR_ANOTHER)[number];

type Failure = PendingActivity['lastFailure'];

/** This many last events contain the last call. */
const LAST_EVENTS = 20;

/** Why the worker refused the call, if another one may accept it; else undefined. */
function notServed(failure: Failure): NotServed | undefined {
  return FOR_ANOTHER.find((code) => code === failure?.applicationFailureInfo?.type);
}

/**
 * Finds tasks that wait for a worker with their key, with only a timer pending. Reads the end of the history,
 * which alone shows it, once for each length.
 */
class KeyWaits {
  private readonly known = new Map<string, { length: string; code: NotServed | undefined }>();

  constructor(private readonly connection: Connection) {}

  /** @param length of the history. */
  async find(id: string, length: unknown): Promise<NotServed | undefined> {
    const known = this.known.get(id);
    if (known?.length === String(length)) return known.code;
    // Only for display; the wait for the end reports errors of the server.
    const code = await lastEvents(this.connection, id, LAST_EVENTS).then(lastRefusal, () => undefined);
    this.known.set(id, { length: String(length), code });
    return code;
  }
}

/** @param events the newest first. */
export function lastRefusal(events: readonly HistoryEvent[]): NotServed | undefined {
  for (const event of events) {
    const failure = event.activityTaskFailedEventAttributes?.failure ?? event.markerRecordedEventAttributes?.failure;
    if (failure) return notServed(failure);
    const isLater =
      event.activityTaskScheduledEventAttributes ??
      event.activityTaskCompletedEventAttributes ??
      event.markerRecordedEventAttributes ??
      event.timerFiredEventAttributes;
    if (isLater) return undefined;
  }
  return undefined;
}
