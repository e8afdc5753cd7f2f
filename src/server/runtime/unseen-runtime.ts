import { connect } from 'node:net';
import { AbilityError } from '../../contracts/problem.js';
import type { RuntimeFile } from '../../contracts/runtime.js';
import type { Progress } from '../binary/find-temporal.js';
import { HEARTBEAT, lastSign } from '../processes/heartbeat.js';
import { describeHolder, type LockHolder, livingHolder } from '../processes/lock.js';
import { isVisible, sharesLoopback } from '../processes/processes.js';
import type { ProjectPaths } from '../project-paths.js';
import { LOOPBACK, portOf } from '../temporal/ports.js';
import { isWrittenBy, readRuntimeFile } from './runtime-file.js';

const LOOK_MS = 100;
/** Number of heartbeats observed that prove it alive; a fresh one alone may be the last. */
const PROOF = 2;
const START_MS = 60_000;
const ANSWER_MS = 1000;

/**
 * Finds the project's runtime in another PID namespace of this machine if its server can be reached; undefined if
 * none lives there. @throws AbilityError `runtime.elsewhere` if one lives and cannot be reached.
 */
export async function reachUnseen(
  paths: ProjectPaths,
  progress: Progress,
  signal?: AbortSignal,
): Promise<RuntimeFile | undefined> {
  const deadline = performance.now() + START_MS;
  let signs = 0;
  let last = lastSign(paths.runtimeLock);
  let isSaid = false;
  for (;;) {
    signal?.throwIfAborted();
    const holder = livingHolder(paths.runtimeLock);
    if (!holder || isVisible(holder)) return undefined;
    const file = readRuntimeFile(paths);
    const canReach = sharesLoopback(holder);
    if (canReach && file?.state === 'up' && isWrittenBy(file, holder) && (await answers(file.address))) return file;
    const sign = lastSign(paths.runtimeLock);
    if (sign !== last) signs += 1;
    last = sign;
    if (!canReach && signs >= PROOF) throw runtimeElsewhere(holder);
    if (performance.now() > deadline) throw runtimeElsewhere(holder);
    if (!isSaid) progress(`Waiting for a sign of life of the runtime, ${describeHolder(holder)} ...`);
    isSaid = true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

export function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: LOOPBACK, port: portOf(address) ?? 0, timeout: ANSWER_MS });
    const end = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}

export function runtimeElsewhere(holder: LockHolder): AbilityError {
  const seconds = HEARTBEAT.stale / 1000;
  return new AbilityError({
    code: 'runtime.elsewhere',
    message: `The runtime of this project is ${describeHolder(holder)}, which cannot be seen from here`,
    suggestion: `Run the command there, or stop the runtime there: \`ability down\`. One that has died is replaced ${seconds} s after its last sign of life. For several machines run a Temporal server: --address.`,
  });
}
