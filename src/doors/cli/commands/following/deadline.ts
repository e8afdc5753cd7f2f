import type { Connection, Stall } from '../../../../client/index.js';
import { AbilityError } from '../../../../contracts/problem.js';
import type { Registry } from '../../../../definitions/registry.js';
import { startTimer } from '../../../../server/start-timer.js';
import { reportError } from '../../output/report.js';
import { LATE_WORK_MS } from '../../output/terminal/terminal.js';
import { type Context, withSession } from '../../program/context.js';

/** How long a command waits, in milliseconds. */
export interface Patience {
  /** `timeoutMs` as the user wrote it. */
  timeout: string | undefined;
  timeoutMs: number | undefined;
  approvalMs: number | undefined;
}

/** Counted from the start of the command, so that starting the runtime and preflight are included. */
export interface Deadline {
  /** Aborts with `wait.timeout` if time runs out before a task exists. */
  signal: AbortSignal;
  /** Milliseconds left, at least 0; undefined: no limit. Stops the timer of {@link signal}. */
  stopAndReadRest(): number | undefined;
  /** Records a stall, so that the error of {@link signal} mentions it. */
  stalled(stall: Stall): void;
  done(): void;
}

/** Applies `--timeout` to an action. @param what begins the error, such as `No task was created`. */
export async function withDeadline<T>(
  context: Context,
  patience: Patience,
  what: string,
  action: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const deadline = startDeadline(context, patience, what);
  try {
    return await action(deadline);
  } finally {
    deadline.done();
  }
}

/** Like {@link withDeadline}, with a connection; the deadline also limits connecting. */
export function connectedInTime<T>(
  context: Context,
  registry: Registry,
  patience: Patience,
  what: string,
  action: (connection: Connection, deadline: Deadline) => Promise<T>,
): Promise<T> {
  return withDeadline(context, patience, what, (deadline) =>
    withSession(context, registry, (connection) => action(connection, deadline), deadline.signal),
  );
}

/** Starts the timer of `--timeout`. @param what as in {@link withDeadline}. */
export function startDeadline(context: Context, { timeout, timeoutMs }: Patience, what: string): Deadline {
  const { began } = context;
  const controller = new AbortController();
  const rest = (): number | undefined =>
    timeoutMs === undefined ? undefined : Math.max(0, began + timeoutMs - performance.now());
  let last: Stall | undefined;
  let late: NodeJS.Timeout | undefined;
  const abort = (): void => {
    const message = `${what} within ${timeout}, counted from the start of the command`;
    const error = new AbilityError({
      code: 'wait.timeout',
      message: last ? `${message}: ${last.message}` : message,
      suggestion:
        last?.suggestion ??
        'Pass a longer --timeout: the runtime of the project may have to start first; on a shared server, a lost worker is noticed only after some seconds.',
    });
    controller.abort(error);
    // Work that cannot be aborted must not delay the answer.
    late = setTimeout(() => context.terminal.leave(reportError(error, context)), LATE_WORK_MS).unref();
  };
  const stop = startTimer(rest() ?? Number.POSITIVE_INFINITY, abort);
  return {
    signal: controller.signal,
    stopAndReadRest() {
      stop();
      return rest();
    },
    stalled(stall) {
      last = stall;
    },
    done() {
      stop();
      clearTimeout(late);
    },
  };
}
