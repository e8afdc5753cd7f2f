import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { Progress, StepProgress } from '../../contracts/task.js';
import { isOperation } from '../../rules/agents.js';
import { openFailures } from '../../server/temporal/open-failures.js';
import type { Connection } from '../connection/connect.js';
import { lastEvents } from '../connection/history-events.js';
import { type AttemptProblem, attemptOf, type PendingActivity } from '../explain/read-calls.js';
import { textReader } from '../explain/read-history.js';

/** The state of a call that is being retried. Times are ISO 8601. */
export interface CallAttempt {
  path: string;
  /** Number of the running or next attempt. */
  attempt: number;
  /** Start of the next attempt, while the call waits for it; null: the attempt runs. */
  starts_at: string | null;
  earlier: AttemptProblem | null;
}

export interface LookedAt {
  id: string;
  raw: WorkflowExecutionDescription['raw'];
  progress: Progress;
}

/** Maximum number of history events searched for the path of a call, newest first. */
const MAX_EVENTS = 2000;

/**
 * Which attempt each call is at; Temporal knows that, the workflow does not. Needs only the description, unless
 * several calls of an operation are open and one is retried: then it reads recent history, once for each call.
 */
export class AttemptWatch {
  /** By run and activity; undefined: searched and not found. */
  private readonly paths = new Map<string, string | undefined>();

  constructor(private readonly connection: Connection) {}

  /** The calls of a task that are past their first attempt. */
  async look({ id, raw, progress }: LookedAt): Promise<CallAttempt[]> {
    const run = raw.workflowExecutionInfo?.execution?.runId ?? '';
    const pending = openFailures(this.connection.codec, raw.pendingActivities ?? []);
    const later = pending.filter(isTriedAgain);
    const nameOf = (activity: PendingActivity): string => `${run} ${activity.activityId}`;
    const unknown = later.filter((activity) => !this.paths.has(nameOf(activity)));
    for (const activity of unknown) {
      const operation = activity.activityType?.name;
      const isOpen = ({ status, call }: StepProgress): boolean => status === 'running' && call === operation;
      const [first, ...others] = Object.entries(progress).filter(([, entry]) => isOpen(entry));
      const same = pending.filter((other) => other.activityType?.name === operation);
      // Another call of its operation may be open, too.
      if (first && others.length === 0 && same.length === 1) this.paths.set(nameOf(activity), first[0]);
    }
    const missing = unknown.map(nameOf).filter((name) => !this.paths.has(name));
    if (missing.length > 0) await this.search(id, run, missing);
    return later.flatMap((activity) => {
      const path = this.paths.get(nameOf(activity));
      return path === undefined ? [] : [{ path, ...attemptOf(activity) }];
    });
  }

  /** Reads the paths of the newest calls; a path that is not found is not searched for again. */
  private async search(id: string, runId: string, missing: readonly string[]): Promise<void> {
    const readText = textReader(this.connection);
    // Only for display; the wait for the end reports errors of the server.
    for (const event of await lastEvents(this.connection, id, MAX_EVENTS, runId).catch(() => [])) {
      const activityId = event.activityTaskScheduledEventAttributes?.activityId;
      const path = activityId ? await readText(event.userMetadata?.summary) : undefined;
      if (path !== undefined) this.paths.set(`${runId} ${activityId}`, path);
    }
    for (const name of missing) if (!this.paths.has(name)) this.paths.set(name, undefined);
  }
}

/** Whether an operation is past its first attempt; hooks have attempts too, but are not steps. */
function isTriedAgain({ attempt, activityType }: PendingActivity): boolean {
  return (attempt ?? 1) > 1 && isOperation(activityType?.name ?? '');
}
