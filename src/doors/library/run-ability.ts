import { runSession as run, type SessionRunOptions, type Stall, type WaitOptions } from '../../client/index.js';
import type { JsonObject } from '../../contracts/json.js';
import { AbilityError, usageError } from '../../contracts/problem.js';
import type { TaskResult } from '../../contracts/task.js';
import { defined } from '../../text/defined.js';
import { type Connection, connect, originOf, type ProjectOptions, refuseUnknown } from './connection.js';
import { make, type NewTask, TASK_OPTIONS, type TaskInput, type TaskOptions } from './create-task.js';
import { waitForTask } from './wait-for-task.js';

/** How to run an ability, and over which connection. */
export interface RunOptions
  extends Omit<TaskOptions, 'session' | 'scope'>,
    Omit<TaskInput, 'ability' | 'input'>,
    Pick<ProjectOptions, 'root' | 'address' | 'namespace' | 'profile' | 'env' | 'progress'> {
  /** An open connection; left out: opens its own with `root` and the like, and closes it at the end. */
  connection?: Connection;
  /** Called once the task is created. */
  onCreated?: (task: NewTask) => void;
  /** Called with the task's state whenever it may have changed. */
  onProgress?: (result: TaskResult) => void;
  /** Called if no worker takes the task or one of its calls. */
  onStall?: (stall: Stall) => void;
  /** Milliseconds after which waiting ends with `wait.timeout`; the task continues. Left out: no limit. */
  timeoutMs?: number;
}

const OF_CONNECTION = ['root', 'address', 'namespace', 'profile', 'env', 'progress'] as const;
const OF_WAIT = ['connection', 'onCreated', 'onProgress', 'timeoutMs'] as const;
const OF_TASK = ['environment', 'session', 'scope', 'intent', 'plan', 'key'] as const;
const OF_CALL = TASK_OPTIONS.filter((name) => name !== 'session' && name !== 'scope');

/**
 * `ability run` for programs, with its defaults; waits for approvals, too. @returns the result, however it ended:
 * `status`, with `output` or `error`. @throws AbilityError as `createTask`, {@link connect}; `wait.timeout`.
 */
export async function runAbility(
  ability: string,
  input: JsonObject = {},
  options: RunOptions = {},
): Promise<TaskResult> {
  refuseUnknown(options, [...OF_TASK, ...OF_CALL, ...OF_WAIT, ...OF_CONNECTION], 'a run');
  const { connection } = options;
  if (connection) {
    refuseBoth(options);
    return runOver(connection, ability, input, options);
  }
  const { signal } = options;
  const own = await connect({ ...picked(options, OF_CONNECTION), ...(signal && { signal }) });
  try {
    return await runOver(own, ability, input, options);
  } finally {
    await own.close();
  }
}

/** Refuses options of a new connection next to an open one. */
function refuseBoth(options: RunOptions): void {
  const both = OF_CONNECTION.filter((name) => options[name] !== undefined);
  if (both.length === 0) return;
  throw usageError(
    `A run over an open connection accepts no ${both.join(', ')}`,
    'Pass either a connection, or what a connection is made with.',
  );
}

async function runOver(
  connection: Connection,
  ability: string,
  input: JsonObject,
  options: RunOptions,
): Promise<TaskResult> {
  const { onCreated, onProgress, onStall, timeoutMs, signal } = options;
  const wanted = { ...picked(options, OF_TASK), ability, input };
  const created = await make(connection, wanted, picked(options, OF_CALL), { run: true, soon: true });
  onCreated?.(created);
  const wait: WaitOptions = {
    timeoutMs,
    begins: !created.attached,
    ...(onProgress && { onProgress: (result) => onProgress(result) }),
    ...defined({ onStall, signal }),
  };
  const end = await waitForTask(connection, { key: created.task_key }, wait);
  if (end.kind === 'ended') {
    const { status, error } = end.result;
    if (status === 'unavailable' && error) throw new AbilityError(error);
    return end.result;
  }
  if (end.kind === 'aborted') throw signal?.reason;
  throw new AbilityError({
    code: 'wait.timeout',
    message: `${created.task_key} has not ended within ${timeoutMs} ms; it goes on`,
    suggestion: 'Wait for it with `waitForTask`, or end it with `cancelTask`.',
  });
}

function picked<T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]))) as Pick<
    T,
    K
  >;
}

/**
 * Lets an AI plan calls of abilities: checks and runs them, and returns their results to it.
 * @throws AbilityError `usage.invalid`, `planner.*`, `session.*`; `feature.unsupported` over HTTP.
 */
export async function runSession(connection: Connection, options: SessionRunOptions): ReturnType<typeof run> {
  const origin = originOf(connection);
  if (!origin.link) return run(origin.inner, options);
  throw new AbilityError({
    code: 'feature.unsupported',
    message: 'A door runs no session of a planner',
    suggestion: 'Connect with `root` where Temporal is in reach.',
  });
}
