import type { DescribeWorkflowExecutionResponse } from '@temporalio/client';
import type { Approval } from '../../contracts/approvals.js';
import { meaningOf } from '../../contracts/codes.js';
import { AbilityError } from '../../contracts/problem.js';
import type { TaskResult } from '../../contracts/task.js';
import { pagesOf } from '../../server/temporal/read-start.js';
import type { Connection } from '../connection/connect.js';
import { type HistoryEvent, opened } from '../connection/history-events.js';
import { UNSERVED_MS } from '../start/start-request.js';

/** So many failures in a row mean that the code cannot continue. Source: docs/architecture.md#no-hangs. */
const STUCK_FAILURES = 3;
/** The limit for failures from other causes, such as a killed worker. */
const STUCK_OTHERS = 10;
/** Number of last events to search for the last failure; signals may follow it. */
const LAST_EVENTS = 1000;
const PAGE = 250;
/** A message of workflow code that begins with its code. */
const NAMED = /^([a-z_]+\.[a-z_]+): (.+)$/s;
/** Causes that do not point to the code. Source: `WorkflowTaskFailedCause` of Temporal's API. */
const OF_TRAFFIC: Readonly<Record<number, string>> = {
  1: 'UNHANDLED_COMMAND',
  13: 'RESET_STICKY_TASK_QUEUE',
  17: 'FORCE_CLOSE_COMMAND',
  31: 'UNHANDLED_UPDATE',
};

/**
 * If workflow tasks fail repeatedly. @throws AbilityError `store.not_shared`, `store.full`, or another of our
 * codes from the worker, else `engine.stuck`.
 */
export async function refuseStuck(
  connection: Connection,
  id: string,
  raw: DescribeWorkflowExecutionResponse,
): Promise<void> {
  // The pending attempt has not failed.
  const failures = (raw.pendingWorkflowTask?.attempt ?? 1) - 1;
  if (failures < STUCK_FAILURES) return;
  const { code = 'engine.stuck', message = '', isOfCode = true } = await readReason(connection, id);
  if (!isOfCode && failures < STUCK_OTHERS) return;
  const often = `failed ${failures} times in a row on ${id}; Temporal goes on trying`;
  throw new AbilityError(
    code === 'engine.stuck'
      ? {
          code,
          message: `The workflow code has ${often}${message && `: ${message}`}`,
          suggestion:
            'Look at the failed workflow task in the Temporal UI; run the worker version the task was started with.',
        }
      : { code, message: `The worker ${often}: ${message}`, suggestion: meaningOf(code)?.next },
  );
}

/**
 * Why the last workflow task failed, if the error is ours; of several in a row Temporal keeps the first. Without a
 * failure among the last events, the code is not to blame.
 */
async function readReason(
  connection: Connection,
  id: string,
): Promise<{ code?: string; message?: string; isOfCode?: boolean }> {
  const last = await findLastFailure(connection, id);
  const failed = last?.workflowTaskFailedEventAttributes;
  if (!failed || OF_TRAFFIC[failed.cause ?? 0]) return { isOfCode: false };
  const text = failed.failure?.message ?? '';
  const [, named, rest = text] = NAMED.exec(text) ?? [];
  const code = failed.failure?.applicationFailureInfo?.type ?? named;
  return code && meaningOf(code) ? { code, message: code === named ? rest : text } : { message: text };
}

async function findLastFailure(connection: Connection, id: string): Promise<HistoryEvent | undefined> {
  let seen = 0;
  for await (const page of pagesOf(connection.temporal, { workflowId: id }, PAGE, true)) {
    const found = opened(connection.codec, page).find(
      (event) => event.workflowTaskFailedEventAttributes ?? event.workflowTaskTimedOutEventAttributes,
    );
    seen += page.length;
    if (found || seen >= LAST_EVENTS) return found;
  }
  return undefined;
}

/** Between the limit, as the server measures it, and the caller's report. Milliseconds. */
const SLACK_MS = 2000;
/** Its start, and the workflow task that waits for a worker. */
const EVENTS_BEFORE = 2;

/**
 * Ends the wait for a task that no worker has taken up in time: if one does later, it ends `expired` and has run
 * nothing. @param since when its creator began to wait. Milliseconds since 1970.
 * @throws AbilityError `worker.unavailable`.
 */
export function refuseNotBegun(
  id: string,
  { workflowExecutionInfo: info }: DescribeWorkflowExecutionResponse,
  since: number,
): void {
  if (Date.now() - since > UNSERVED_MS + SLACK_MS && Number(info?.historyLength) <= EVENTS_BEFORE) {
    throw notTakenUp(id);
  }
}

/** The error for a task that no worker has taken up within the limit for its begin. */
export function notTakenUp(id: string): AbilityError {
  return new AbilityError({
    code: 'worker.unavailable',
    message: `No worker has taken ${id} up within a minute; it runs nothing`,
    suggestion: 'Run `ability doctor` to check the worker.',
  });
}

/** Limits a caller's wait for people. Restarts when the task continues, and after each decision. */
export class ApprovalPatience {
  private since: number | undefined;
  private open: readonly Approval[] = [];

  /** @param limitMs undefined: unlimited. */
  constructor(private readonly limitMs: number | undefined) {}

  /** Records the present state. @returns whether the task has waited for people as long as the limit. */
  hasEnded({ status, approvals }: Pick<TaskResult, 'status' | 'approvals'>, now: number = Date.now()): boolean {
    const open = approvals.filter((approval) => approval.status === 'open');
    // Between two polls, one approval may have been decided and another one raised.
    if (status !== 'waiting_approval' || isAnswered(this.open, open)) this.since = undefined;
    this.open = open;
    if (status !== 'waiting_approval') return false;
    this.since ??= now;
    return this.limitMs !== undefined && now - this.since >= this.limitMs;
  }
}

function isAnswered(before: readonly Approval[], now: readonly Approval[]): boolean {
  return before.some((approval) => {
    const same = now.find(({ id, task }) => id === approval.id && task === approval.task);
    return same === undefined || same.decisions.length > approval.decisions.length;
  });
}
