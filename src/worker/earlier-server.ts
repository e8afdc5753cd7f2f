import type { RuntimeFile } from '../contracts/runtime.js';
import type { LockHolder } from '../server/processes/lock.js';
import { sharesLoopback } from '../server/processes/process-space.js';
import { isWrittenBy } from '../server/runtime/runtime-file.js';
import { answers } from '../server/runtime/unseen-runtime.js';
import { stopOrphans } from '../server/temporal/temporal-server.js';
import { stillServed } from './runtime-failures.js';

/** A holder that wakes up looks at its lock within a second. */
const SETTLE_MS = 2000;
/** So long a server of a dead runtime is waited for, which its guard ends. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 200;

/**
 * Address of a server that may still have the database open although its runtime cannot be seen from here.
 *
 * @param takenFrom the unseen holder whose lock was taken over. A runtime that failed because of such a server has
 * noted its address.
 */
export function earlierServer(earlier: RuntimeFile | undefined, takenFrom: LockHolder | undefined): string | undefined {
  if (!earlier || !sharesLoopback(earlier)) return undefined;
  if (earlier.unseen_server !== undefined) return earlier.unseen_server;
  return takenFrom && isWrittenBy(earlier, takenFrom) ? earlier.address : undefined;
}

/**
 * Waits until the server of an unseen runtime can no longer have the database open.
 *
 * @throws AbilityError `runtime.failed` if that server keeps running.
 */
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
