import { setMaxListeners } from 'node:events';
import { AbilityError } from '../contracts/problem.js';
import { ensureRuntime } from '../server/ensure-runtime.js';
import { grpcErrorOf } from '../server/grpc-error.js';
import { isVisible } from '../server/process-space.js';
import { readLivingRuntime } from '../server/runtime-file.js';
import { wasStopped } from '../server/stop-runtime.js';
import { reconnect, type Session } from './connect.js';

/** How often a command that waits looks whether its runtime lives. */
const LOOK_MS = 1000;
/** A server that ends again and again is not waited for. */
const MOST_TURNS = 10;
/** gRPC codes of a server that has gone away: cancelled by the closing of its connection, unavailable. */
const GONE = new Set([1, 14]);

/**
 * Does something that waits for the server, and does it again after the project's own runtime was gone and has been
 * started again. Done twice it must be as if done once.
 *
 * @param signal ends the waiting, with its reason.
 * @throws AbilityError `runtime.stopped` where `ability down` ended the runtime; what the action throws.
 */
export async function keepingRuntime<T>(session: Session, action: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let turn = 1; ; turn += 1) {
    signal?.throwIfAborted();
    const stop = new AbortController();
    const ends = signal ? AbortSignal.any([stop.signal, signal]) : stop.signal;
    // Each call listens on, for as long as this goes.
    setMaxListeners(0, ends);
    const watching = untilGone(session, stop.signal).then(() => stop.abort());
    try {
      return await session.temporal.withAbortSignal(ends, action);
    } catch (error) {
      signal?.throwIfAborted();
      if (!session.runtime || !isNobodyThere(error) || turn === MOST_TURNS) throw error;
      await reviveRuntime(session, signal);
    } finally {
      stop.abort();
      await watching;
    }
  }
}

/** Whether the runtime that a session was connected to lives no more. */
export function isRuntimeGone({ runtime, paths }: Session): boolean {
  if (!runtime) return false;
  const living = readLivingRuntime(paths);
  return living?.pid !== runtime.pid || living.started !== runtime.started;
}

/** Whether an error means that the server has gone away. */
export function isNobodyThere(error: unknown): boolean {
  const code = grpcErrorOf(error)?.code;
  return code !== undefined && GONE.has(code);
}

/**
 * Starts the project's runtime again, or finds the one that another command has started, and connects to it.
 *
 * @throws AbilityError `runtime.stopped`, and what {@link ensureRuntime} throws.
 */
export async function reviveRuntime(session: Session, signal?: AbortSignal): Promise<void> {
  session.reviving ??= revive(session, signal).finally(() => {
    session.reviving = undefined;
  });
  await session.reviving;
}

async function revive(session: Session, signal: AbortSignal | undefined): Promise<void> {
  const { runtime, paths, progress = () => {} } = session;
  if (!runtime) return;
  const isGone = isRuntimeGone(session);
  if (isGone && wasStopped(paths, runtime)) throw runtimeStopped();
  const living = readLivingRuntime(paths);
  // Whatever its version: whoever replaced it did so for a reason.
  const isUp = living?.state === 'up' && isVisible(living);
  const found = isUp ? { runtime: living, started: false } : await ensureRuntime(paths, () => {}, signal);
  await reconnect(session, found.runtime);
  if (!isGone) return;
  const how = found.started ? 'it has been started again' : 'another one is up';
  progress(`The runtime of this project had ended while this command waited; ${how}, and the task goes on.`);
}

/** Resolves when the runtime of a session is gone, or nobody wants to know any more. */
async function untilGone(session: Session, stop: AbortSignal): Promise<void> {
  while (!stop.aborted && !(session.runtime && isRuntimeGone(session))) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(end, LOOK_MS);
      function end(): void {
        clearTimeout(timer);
        stop.removeEventListener('abort', end);
        resolve();
      }
      stop.addEventListener('abort', end);
    });
  }
}

/** The error for a runtime that somebody stopped on purpose. */
function runtimeStopped(): AbilityError {
  return new AbilityError({
    code: 'runtime.stopped',
    message: 'The runtime of this project was stopped with `ability down`; the task is on disk',
    suggestion: 'Go on with `ability task watch KEY`, which starts the runtime.',
  });
}
