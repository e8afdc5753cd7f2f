import type { RuntimeFile } from '../contracts/runtime.js';
import type { LockHolder } from '../server/processes/lock.js';
import { sharesLoopback } from '../server/processes/process-space.js';
import { isWrittenBy } from '../server/runtime/runtime-file.js';
import { answers } from '../server/runtime/unseen-runtime.js';
import { stopOrphans } from '../server/temporal/temporal-server.js';
import { stillServed } from './runtime-failures.js';

/** A resumed lock holder checks its lock within a second. */
const SETTLE_MS = 2000;
/** How long to wait until the guard of a dead runtime has stopped its server. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 200;

/**
 * Address of an unseen runtime's server that may still have the database open: noted by a runtime that failed
 * because of it, or that of the holder whose lock was taken over.
 */
export function earlierServer(earlier: RuntimeFile | undefined, takenFrom: LockHolder | undefined): string | undefined {
  if (!earlier || !sharesLoopback(earlier)) return undefined;
  if (earlier.unseen_server !== undefined) return earlier.unseen_server;
  return takenFrom && isWrittenBy(earlier, takenFrom) ? earlier.address : undefined;
}

/** Waits for an unseen runtime's server to end. @throws AbilityError `runtime.failed` if it keeps running. */
export async function untilEarlierEnded(
  server: string | undefined,
  takenFrom: LockHolder | undefined,
  database: string,
  isLeaving: () => boolean,
): Promise<void> {
  if (takenFrom) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  if (server === undefined) return;
  await stopOrphans(database);
  const deadline = performance.now() + PATIENCE_MS;
  while (!isLeaving() && (await answers(server))) {
    if (performance.now() > deadline) throw stillServed(server);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
