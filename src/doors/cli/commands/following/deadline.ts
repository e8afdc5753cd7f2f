import type { Connection, Stall } from '../../../../client/index.js';
import { AbilityError } from '../../../../contracts/problem.js';
import type { Registry } from '../../../../definitions/registry.js';
import { startTimer } from '../../../../server/start-timer.js';
import { reportError } from '../../output/report.js';
import { type Context, withSession } from '../../program/context.js';

/** How long a command waits. Times are milliseconds. */
export interface Patience {
  /** `timeoutMs` as it was written. */
  timeout: string | undefined;
  timeoutMs: number | undefined;
  approvalMs: number | undefined;
}

/** The end of a command's patience, counted from its start: the runtime and preflight take their part of it. */
export interface Deadline {
  /** Fires with `wait.timeout` when the time is up before there is a task to wait for. */
  signal: AbortSignal;
  /** Milliseconds that are left, at least 0; undefined: there is no end. Ends {@link signal}'s part. */
  takeRest(): number | undefined;
  /** Takes in what no worker takes up, so that {@link signal} says it, too. */
  stalled(stall: Stall): void;
  /** Gives up the watch. */
  done(): void;
}

/** What a download that was given up gets to end by itself. */
const EXIT_MS = 1000;

/**
 * Does the work of a command under its `--timeout`. However the work ends, nothing of the watch keeps the command alive.
 *
 * @param what was not reached in time, as the message says it.
 */
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

/** As {@link withDeadline}, with a connection, which is waited for no longer either. */
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

/**
 * Starts the watch over a command's `--timeout`.
 *
 * @param what was not reached in time, as the message says it.
 */
export function startDeadline(context: Context, { timeout, timeoutMs }: Patience, what: string): Deadline {
  const { began } = context;
  const controller = new AbortController();
  let isOver = false;
  const rest = (): number | undefined =>
    timeoutMs === undefined ? undefined : Math.max(0, began + timeoutMs - performance.now());
  let last: Stall | undefined;
  const abort = (): void => {
    const message = `${what} within ${timeout}, counted from the start of the command`;
    const error = new AbilityError({
      code: 'wait.timeout',
      message: last ? `${message}: ${last.message}` : message,
      suggestion:
        last?.suggestion ??
        'Pass a longer --timeout: a runtime of the project may have to start first; of a shared server, a lost worker is noticed only after some seconds.',
    });
    controller.abort(error);
    // What cannot be called off, such as a download, must not keep the command, nor its answer.
    setTimeout(() => {
      context.terminal.leave(isOver ? undefined : reportError(error, context));
    }, EXIT_MS).unref();
  };
  const stop = startTimer(rest() ?? Number.POSITIVE_INFINITY, abort);
  return {
    signal: controller.signal,
    takeRest() {
      stop();
      return rest();
    },
    stalled(stall) {
      last = stall;
    },
    done() {
      isOver = true;
      stop();
    },
  };
}
