import type { Stall } from '../../../../client/index.js';
import { AbilityError } from '../../../../contracts/problem.js';
import type { TaskResult } from '../../../../contracts/task.js';
import { startTimer } from '../../../../server/start-timer.js';
import { commandOf } from '../../../../shown/typed-command.js';
import { reportError } from '../../output/report.js';
import { LATE_WORK_MS } from '../../output/terminal/terminal.js';
import type { Context } from '../../program/context.js';
import { withProject } from '../../program/project-client.js';
import type { ProjectClient } from '../../program/project-operations.js';

/** How long a command waits, in milliseconds. */
export interface Patience {
  /** `timeoutMs` as the user wrote it. */
  timeout: string | undefined;
  timeoutMs: number | undefined;
  approvalMs: number | undefined;
}

/** What ends in time by itself has so many milliseconds more. */
const GRACE_MS = 1000;

/** Counted from the start of the command, so that starting the runtime and preflight are included. */
export interface Deadline {
  /** Aborts with `wait.timeout` if time runs out before a task exists. */
  signal: AbortSignal;
  /** Milliseconds left, at least 0; undefined: no limit. Stops the timer of {@link signal}. */
  stopAndReadRest(): number | undefined;
  /**
   * As {@link stopAndReadRest}, for what ends in time by itself once it is reached: if it does not, {@link signal}
   * fires a little later. @param late the error then; undefined: that of before.
   */
  handOver(late: () => AbilityError | undefined): number | undefined;
  /** Records a stall, so that the error of {@link signal} mentions it. */
  stalled(stall: Stall): void;
  done(): void;
}

/**
 * Applies `--timeout` to an action, and to connecting. @param what begins the error, such as `No task was created`.
 */
export async function projectInTime<T>(
  context: Context,
  patience: Patience,
  what: string,
  action: (project: ProjectClient, deadline: Deadline) => Promise<T>,
): Promise<T> {
  const deadline = startDeadline(context, patience, what);
  try {
    return await withProject(context, (project) => action(project, deadline), deadline.signal);
  } finally {
    deadline.done();
  }
}

/** Starts the timer of `--timeout`. @param what as in {@link projectInTime}. */
export function startDeadline(context: Context, { timeout, timeoutMs }: Patience, what: string): Deadline {
  const { began } = context;
  const controller = new AbortController();
  const rest = (): number | undefined =>
    timeoutMs === undefined ? undefined : Math.max(0, began + timeoutMs - performance.now());
  let last: Stall | undefined;
  let leaving: NodeJS.Timeout | undefined;
  const abort = (error = notReached()): void => {
    controller.abort(error);
    // Work that cannot be aborted must not delay the answer.
    leaving = setTimeout(() => context.terminal.leave(reportError(error, context)), LATE_WORK_MS).unref();
  };
  const notReached = (): AbilityError => {
    const message = `${what} within ${timeout}, counted from the start of the command`;
    return new AbilityError({
      code: 'wait.timeout',
      message: last ? `${message}: ${last.message}` : message,
      suggestion:
        last?.suggestion ??
        'Pass a longer --timeout: the runtime of the project may have to start first; on a shared server, a lost worker is noticed only after some seconds.',
    });
  };
  let stop = startTimer(rest() ?? Number.POSITIVE_INFINITY, abort);
  return {
    signal: controller.signal,
    stopAndReadRest() {
      stop();
      return rest();
    },
    handOver(late) {
      stop();
      const left = rest();
      stop = startTimer(left === undefined ? Number.POSITIVE_INFINITY : left + GRACE_MS, () => abort(late()));
      return left;
    },
    stalled(stall) {
      last = stall;
    },
    done() {
      stop();
      clearTimeout(leaving);
    },
  };
}

/** The error of a wait that was too short for a task. @param begins whether this command has just started it. */
export function timedOut(
  key: string,
  timeout: string | undefined,
  result: TaskResult | undefined,
  stall: Stall | undefined,
  begins: boolean,
): AbilityError {
  const next = isCreated(result)
    ? commandOf('ability', 'task', 'run', key)
    : `${commandOf('ability', 'task', 'watch', key)} continues to wait; ${commandOf('ability', 'why', key)} shows what holds it up`;
  const message = isCreated(result)
    ? `${key} has not been run within ${timeout}; it can still be run`
    : `${key} has not ended within ${timeout}; it goes on`;
  if (!stall) return new AbilityError({ code: 'wait.timeout', message, suggestion: next });
  const limit = begins && !result ? ', within a minute of its start' : '';
  return new AbilityError({
    code: 'wait.timeout',
    message: `${message} once there is a worker${limit}: ${stall.message}`,
    suggestion: `${stall.suggestion}; then ${next}`,
  });
}

export function isCreated(result: TaskResult | undefined): boolean {
  return result?.status === 'created';
}
