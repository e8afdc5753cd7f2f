import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { connect } from 'node:net';
import { AbilityError } from '../../contracts/problem.js';
import { markOf, signalProcess, stopProcess } from '../processes/processes.js';
import { freePort, LOOPBACK } from './ports.js';
import { tailOf } from './temporal-server.js';

export interface TestServer {
  /** `host:port`. */
  address: string;
  stop(): Promise<void>;
}

const START_MS = 15_000;
const LOOK_MS = 10;
const STOP_MS = 2000;

/**
 * Starts the time-skipping server on a free port, with a clock that skips only on request. Keeps everything in
 * memory, and ends with this process. @throws AbilityError `temporal.unavailable` with the tail of the log.
 */
export async function startTestServer(binary: string, log: string): Promise<TestServer> {
  const port = await freePort();
  const child = spawnInto(log, binary, [String(port)]);
  let failure: string | undefined;
  child.once('error', (error) => (failure = error.message));
  child.once('exit', (code) => (failure ??= `it ended with exit code ${code}`));
  const kill = (): void => {
    if (child.pid !== undefined) signalProcess(child.pid, 'SIGKILL');
  };
  process.once('exit', kill);
  const stop = async (): Promise<void> => {
    const mark = child.pid === undefined ? undefined : markOf(child.pid);
    if (mark) await stopProcess(mark, STOP_MS);
    process.removeListener('exit', kill);
  };
  const deadline = Date.now() + START_MS;
  while (!(await listens(port))) {
    if (failure === undefined && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      continue;
    }
    await stop();
    throw notUp(failure ?? `it did not answer within ${START_MS / 1000} s`, log);
  }
  return { address: `${LOOPBACK}:${port}`, stop };
}

/** In a process group of its own: on Ctrl-C, the workers stop before the server. */
function spawnInto(log: string, binary: string, args: string[]): ChildProcess {
  const file = openSync(log, 'a');
  try {
    return spawn(binary, args, { detached: true, stdio: ['ignore', file, file] });
  } finally {
    closeSync(file);
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, LOOPBACK);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function notUp(reason: string, log: string): AbilityError {
  const tail = tailOf(log);
  return new AbilityError({
    code: 'temporal.unavailable',
    message: `The Temporal test server did not come up: ${reason}${tail ? `\n${tail}` : ''}`,
    suggestion: 'Name another one in ABILITY_TEMPORAL_TEST_SERVER_BIN.',
  });
}
