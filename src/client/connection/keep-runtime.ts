import { setMaxListeners } from 'node:events';
import type { RuntimeFile } from '../../contracts/runtime.js';
import { anyAbortSignal } from '../../rules/any-abort-signal.js';
import { unlessAborted } from '../../rules/unless-aborted.js';
import { isVisible } from '../../server/processes/processes.js';
import { type EnsuredRuntime, ensureRuntime } from '../../server/runtime/ensure-runtime.js';
import { isLiving, readLivingRuntime } from '../../server/runtime/runtime-file.js';
import { runtimeStopped, wasStopped } from '../../server/runtime/stop-runtime.js';
import { sleep } from '../../server/start-timer.js';
import { grpcErrorOf } from '../../server/temporal/grpc-error.js';
import { type Connection, reconnect } from './connect.js';
import { asking } from './temporal-errors.js';

const LOOK_MS = 1000;
/** A wait ends after so many restarts of the server. */
const MAX_TURNS = 10;
/** gRPC codes of a server that stopped: cancelled with its connection, or unavailable. */
const UNREACHABLE = new Set([1, 14]);

/**
 * Runs an action, and again after each restart of the project's own runtime; it must be idempotent.
 * @param signal ends the wait, with its reason.
 * @throws AbilityError `runtime.stopped` if `ability down` ended the runtime; errors of the action.
 */
export async function keepingRuntime<T>(
  connection: Connection,
  action: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (let turn = 1; ; turn += 1) {
    signal?.throwIfAborted();
    const stop = new AbortController();
    const { signal: ends, release } = anyAbortSignal(signal ? [stop.signal, signal] : [stop.signal]);
    // Each call adds a listener for as long as this runs.
    setMaxListeners(0, ends);
    const watching = untilRuntimeEnds(connection, stop.signal).then(() => stop.abort());
    try {
      // Also ends if the action ignores its signal: it may wait for more than a call.
      return await unlessAborted(connection.temporal.withAbortSignal(ends, action), signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (!connection.runtime || !isUnreachable(error) || turn === MAX_TURNS) throw error;
      await unlessAborted(reviveRuntime(connection), signal);
    } finally {
      stop.abort();
      release();
      await watching;
    }
  }
}

/** {@link keepingRuntime} with the error translation of {@link asking}. */
export function withServer<T>(connection: Connection, action: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  return asking(connection, () => keepingRuntime(connection, action, signal));
}

function hasRuntimeEnded({ runtime, paths }: Connection): boolean {
  return runtime !== undefined && !isLiving(paths, runtime);
}

/** Whether the error means that the server has stopped. */
export function isUnreachable(error: unknown): boolean {
  const code = grpcErrorOf(error)?.code;
  return code !== undefined && UNREACHABLE.has(code);
}

/**
 * Restarts the project's runtime, or connects to the one that another command has started. All callers share one
 * attempt, so none can cancel it. @throws AbilityError `runtime.stopped`, and errors of {@link ensureRuntime}.
 */
export async function reviveRuntime(connection: Connection): Promise<void> {
  connection.reviving ??= revive(connection).finally(() => {
    connection.reviving = undefined;
  });
  await connection.reviving;
}

async function revive(connection: Connection): Promise<void> {
  const { runtime, paths, progress = () => {} } = connection;
  if (!runtime) return;
  for (let turn = 1; ; turn += 1) {
    // Also while it is still stopping.
    if (wasStopped(paths, runtime)) throw runtimeStopped();
    const found = await findRuntime(connection);
    if (await connectWhileLiving(connection, found.runtime, turn === MAX_TURNS)) {
      // Not whether it had ended before: its server may be gone an instant before its process.
      if (found.runtime.pid !== runtime.pid || found.runtime.started !== runtime.started) progress(restartNote(found));
      return;
    }
  }
}

async function findRuntime({ paths, env }: Connection): Promise<EnsuredRuntime> {
  const living = readLivingRuntime(paths);
  // Accepts any version: it was replaced for a reason.
  if (living?.state === 'up' && isVisible(living)) return { runtime: living, started: false };
  return ensureRuntime(paths, () => {}, undefined, env);
}

/** @returns false if the runtime stopped before it answered. @throws AbilityError as {@link reconnect}. */
async function connectWhileLiving(connection: Connection, runtime: RuntimeFile, isLast: boolean): Promise<boolean> {
  const [stop, ended] = [new AbortController(), new AbortController()];
  const watching = untilRuntimeEnds({ ...connection, runtime }, stop.signal).then(() => ended.abort());
  try {
    await reconnect(connection, runtime, ended.signal);
    return true;
  } catch (error) {
    if (isLast || isLiving(connection.paths, runtime)) throw error;
    return false;
  } finally {
    stop.abort();
    await watching;
  }
}

export function restartNote({ started }: Pick<EnsuredRuntime, 'started'>): string {
  const how = started ? 'it has been started again' : 'another one is up';
  return `The runtime of this project had ended while this command waited; ${how}, and the task goes on.`;
}

/** Resolves when the runtime has stopped, or `stop` fires. */
export async function untilRuntimeEnds(connection: Connection, stop: AbortSignal): Promise<void> {
  while (!stop.aborted && !(connection.runtime && hasRuntimeEnded(connection))) {
    await sleep(LOOK_MS, stop);
  }
}
