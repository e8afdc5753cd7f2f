import { type CreatedTask, type Connection as Inner, type Stall, waitForTask } from '../../client/index.js';
import type { JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import type { TaskResult } from '../../contracts/task.js';
import { defined } from '../../text/defined.js';
import { type Connection, connect, type ProjectOptions, refuseUnknown } from './connection.js';
import { startTask, TASK_OPTIONS, type TaskOptions } from './create-task.js';

/** How to run an ability, and over which connection. */
export interface RunOptions
  extends Omit<TaskOptions, 'ability' | 'input' | 'run' | 'signal'>,
    Pick<ProjectOptions, 'root' | 'address' | 'namespace' | 'profile' | 'env' | 'progress'> {
  /** An open connection; left out: opens its own with `root` and the like, and closes it at the end. */
  connection?: Connection;
  /** Called once the task is created; its id is the task key. */
  onCreated?: (task: CreatedTask) => void;
  /** Called with the task's state whenever it may have changed. */
  onProgress?: (result: TaskResult) => void;
  /** Called if no worker takes the task or one of its calls. */
  onStall?: (stall: Stall) => void;
  /** Milliseconds after which waiting ends with `wait.timeout`; the task continues. Left out: no limit. */
  timeoutMs?: number;
  /** Aborts waiting with its reason; a created task continues. */
  signal?: AbortSignal;
}

const OF_CONNECTION = ['root', 'address', 'namespace', 'profile', 'env', 'progress'] as const;
const OF_WAIT = ['connection', 'onCreated', 'onProgress', 'timeoutMs'] as const;
const OF_TASK = TASK_OPTIONS.filter((name) => name !== 'ability' && name !== 'input' && name !== 'run');

/**
 * `ability run` for programs, with its defaults; waits for approvals, too. @returns the result, however it ended:
 * `status`, with `output` or `error`. @throws AbilityError as {@link createTask}, {@link connect}; `wait.timeout`.
 */
export async function runAbility(
  ability: string,
  input: JsonObject = {},
  options: RunOptions = {},
): Promise<TaskResult> {
  refuseUnknown(options, [...OF_TASK, ...OF_WAIT, ...OF_CONNECTION], 'a run');
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
  throw new AbilityError({
    code: 'usage.invalid',
    message: `A run over an open connection accepts no ${both.join(', ')}`,
    suggestion: 'Pass either a connection, or what a connection is made with.',
  });
}

async function runOver(
  connection: Connection,
  ability: string,
  input: JsonObject,
  options: RunOptions,
): Promise<TaskResult> {
  const { onCreated, onProgress, onStall, timeoutMs, signal } = options;
  const created = await startTask(connection, { ...picked(options, OF_TASK), ability, input, run: true });
  onCreated?.(created);
  const end = await waitForTask(connection as Inner, created.id, {
    timeoutMs,
    begins: !created.attached,
    ...(onProgress && { onProgress: (result) => onProgress(result) }),
    ...defined({ onStall, signal }),
  });
  if (end.kind === 'ended') {
    const { status, error } = end.result;
    if (status === 'unavailable' && error) throw new AbilityError(error);
    return end.result;
  }
  if (end.kind === 'aborted') throw signal?.reason;
  throw new AbilityError({
    code: 'wait.timeout',
    message: `${created.id} has not ended within ${timeoutMs} ms; it goes on`,
    suggestion: 'Wait for it with `waitForTask`, or end it with `cancelTask`.',
  });
}

function picked<T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]]))) as Pick<
    T,
    K
  >;
}
