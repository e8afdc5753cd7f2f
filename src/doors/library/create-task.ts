import type { z } from 'zod';
import type { GivenFiles, Stall } from '../../client/index.js';
import { createdAnswer, createTask as creation, makeTask, type newTask } from '../../operations/create-task.js';
import { readInputOf } from '../../operations/run-operation.js';
import { type Connection, originOf, refuseOverHttp, refuseUnknown } from './connection.js';
import { CALL_OPTIONS, type CallOptions, callerOf, functions, projectOf } from './operations.js';

/** A task to create: the ability, its input, and what is known of the request. */
export type TaskInput = z.input<typeof newTask>;

/** What goes with a new task where Temporal is in reach. */
export interface TaskOptions extends CallOptions {
  /** Files of the input, by their paths. */
  files?: Omit<GivenFiles, 'signal'> | undefined;
  /** Called if no worker takes the task up. */
  onStall?: ((stall: Stall) => void) | undefined;
}

/** A created task, or the existing one with the same key and request. */
export type NewTask = ReturnType<typeof createdAnswer>;

const LOCAL = ['files', 'onStall'] as const;

export const TASK_OPTIONS = [...CALL_OPTIONS, ...LOCAL] as const;

/**
 * Resolves once the task is formed; it waits for `runTask`. The same key and request give the same task.
 * @throws AbilityError `ability.not_found`, `input.invalid`, `guard.denied`, `scope.environment`,
 * `task.key_conflict`, `placement.no_worker`, and others of docs/errors.md.
 */
export function createTask(connection: Connection, wanted: TaskInput, options: TaskOptions = {}): Promise<NewTask> {
  return make(connection, wanted, options, {});
}

/** Starts a task; with `soon`, resolves once Temporal has it. */
export async function make(
  connection: Connection,
  wanted: TaskInput,
  options: TaskOptions,
  how: { run?: boolean; soon?: boolean },
): Promise<NewTask> {
  const origin = originOf(connection);
  refuseUnknown(options, TASK_OPTIONS, 'a task');
  const { files, onStall, ...call } = options;
  if (origin.link) {
    refuseOverHttp({ files, onStall }, LOCAL);
    const start = how.run ? functions.runAbility : functions.createTask;
    return (await start(connection, wanted, call)) as NewTask;
  }
  const given = readInputOf('createTask', creation, wanted);
  const further = { ...how, files, onStall, signal: call.signal };
  return createdAnswer(await makeTask(projectOf(origin), callerOf(origin, call), given, further));
}
