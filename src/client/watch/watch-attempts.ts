import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { Progress } from '../../contracts/task.js';
import type { Connection } from '../connection/connect.js';
import { lastEvents } from '../connection/history-events.js';
import { type AttemptProblem, attemptOf, isOperation, type PendingActivity } from '../explain/read-calls.js';
import { textReader } from '../explain/read-history.js';

/** The state of a call that is being retried. Times are ISO 8601. */
export interface CallAttempt {
  path: string;
  /** Number of the attempt that runs, or that is next. */
  attempt: number;
  /** When it starts, while the call waits for that. */
  starts_at: string | null;
  /** Why the attempt before it failed. */
  earlier: AttemptProblem | null;
}

/** The observed state of a task. */
export interface LookedAt {
  id: string;
  raw: WorkflowExecutionDescription['raw'];
  progress: Progress;
}

/** Newest events of a history that are searched for the path of a call. */
const MAX_EVENTS = 2000;

/**
 * Follows which attempt each call of a task is at. Temporal knows it, and the workflow does not.
 *
 * It costs nothing beyond the description that is read anyway, but where several calls of one operation are open and one
 * of them is tried again: then the newest part of the history says which, once for each call.
 */
export class AttemptWatch {
  /** By run and activity; undefined: looked for, and not found. */
  private readonly paths = new Map<string, string | undefined>();

  constructor(private readonly connection: Connection) {}

  /** The calls of a task that are at a later attempt than their first. */
  async look({ id, raw, progress }: LookedAt): Promise<CallAttempt[]> {
    const run = raw.workflowExecutionInfo?.execution?.runId ?? '';
    const later = (raw.pendingActivities ?? []).filter(isTriedAgain);
    const nameOf = (activity: PendingActivity): string => `${run} ${activity.activityId}`;
    const unknown = later.filter((activity) => !this.paths.has(nameOf(activity)));
    for (const activity of unknown) {
      const path = onlyCallOf(activity, raw.pendingActivities ?? [], progress);
      if (path !== undefined) this.paths.set(nameOf(activity), path);
    }
    const missing = unknown.map(nameOf).filter((name) => !this.paths.has(name));
    if (missing.length > 0) await this.search(id, run, missing);
    return later.flatMap((activity) => {
      const path = this.paths.get(nameOf(activity));
      return path === undefined ? [] : [{ path, ...attemptOf(activity) }];
    });
  }

  /** Reads the paths of the newest calls; one that is not among them is not looked for again. */
  private async search(id: string, runId: string, missing: readonly string[]): Promise<void> {
    const readText = textReader(this.connection);
    // It is only shown; what waits for the end finds what is wrong with the server.
    for (const event of await lastEvents(this.connection, id, MAX_EVENTS, runId).catch(() => [])) {
      const activityId = event.activityTaskScheduledEventAttributes?.activityId;
      const path = activityId ? await readText(event.userMetadata?.summary) : undefined;
      if (path !== undefined) this.paths.set(`${runId} ${activityId}`, path);
    }
    for (const name of missing) if (!this.paths.has(name)) this.paths.set(name, undefined);
  }
}

/** Of a call of an operation; hooks have attempts, too, and are no steps. */
function isTriedAgain({ attempt, activityType }: PendingActivity): boolean {
  return (attempt ?? 1) > 1 && isOperation(activityType?.name ?? '');
}

/** The path of a call, where no other call of its operation is open. */
function onlyCallOf(
  { activityType }: PendingActivity,
  pending: readonly PendingActivity[],
  progress: Progress,
): string | undefined {
  const operation = activityType?.name;
  const open = Object.entries(progress).filter(([, { status, call }]) => status === 'running' && call === operation);
  const same = pending.filter((other) => other.activityType?.name === operation);
  return open.length === 1 && same.length === 1 ? open[0]?.[0] : undefined;
}
