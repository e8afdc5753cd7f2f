import type { Connection } from '../../../client/index.js';
import { AbilityError } from '../../../contracts/problem.js';
import { findScope } from '../../../definitions/find-scope.js';
import type { Further } from '../../../operations/create-task.js';
import type { Operations } from '../../../operations/operations.js';
import type { InputOf, OutputOf, Streaming } from '../../../operations/over-http/call-door.js';
import type { ProjectPaths } from '../../../server/project-paths.js';
import { didYouMean } from '../../../text/nearest.js';
import type { Context } from './context.js';

export type Created = OutputOf<'createTask'>;
export type Asked = Exclude<keyof Operations, Streaming>;

/**
 * The operations of a command's project: through the door that it names; else over the socket of its runtime, where that
 * is up, without Temporal's SDK; else in this process, which starts the runtime if there is none.
 */
export interface ProjectClient {
  /** Null through a door. */
  paths: ProjectPaths | null;
  /** @throws AbilityError of the operation; for an unknown task with the nearest key. */
  call<Name extends Asked>(name: Name, input: InputOf<Name>, signal?: AbortSignal): Promise<OutputOf<Name>>;
  stream<Name extends Streaming>(name: Name, input: InputOf<Name>, signal?: AbortSignal): Promise<OutputOf<Name>>;
  /** Creates a task, with what only this process has. */
  create(wanted: InputOf<'createTask'>, further: Further): Promise<Created>;
  /** As {@link ProjectClient.create}, for a retry. */
  retry(wanted: InputOf<'retryTask'>, further: Further): Promise<Created & { begins?: string }>;
  /** Acts in this process, for what needs the connection itself. */
  here<T>(action: (connection: Connection) => Promise<T>): Promise<T>;
  /** Whether Temporal is the project's own runtime. */
  isOwnRuntime(): boolean;
}

/** A limit of time counts from the first request. */
export function withRest<Input extends object>(input: Input, elapsedMs: number): Input {
  if (!('timeout_ms' in input) || typeof input.timeout_ms !== 'number') return input;
  return { ...input, timeout_ms: Math.max(0, Math.round(input.timeout_ms - elapsedMs)) };
}

/** An unknown task key gets the nearest of the last 200 as its suggestion; other errors stay as they are. */
export function nearest(client: Pick<ProjectClient, 'call'>): (error: unknown) => Promise<never> {
  return async (error) => {
    if (!(error instanceof AbilityError) || error.code !== 'task.not_found') throw error;
    const { task_key: wrong } = (error.details ?? {}) as { task_key?: string };
    if (wrong === undefined) throw error;
    const { tasks } = await client.call('listTasks', { limit: 200 }).catch(() => ({ tasks: [] }));
    const suggestion = didYouMean(
      wrong,
      (tasks as { task_key: string }[]).map(({ task_key }) => task_key),
    );
    throw suggestion === undefined ? error : new AbilityError({ ...error.toProblem(), suggestion }, { cause: error });
  };
}

/** The scope of what a command starts: as `findScope` says; through a door only if it is named, else the door's own. */
export function scopeIn(
  { paths }: Pick<ProjectClient, 'paths'>,
  { cwd, env }: Pick<Context, 'cwd' | 'env'>,
  flag: string | undefined,
): string | undefined {
  const isNamed = flag !== undefined || env.ABILITY_SCOPE;
  return paths || isNamed ? findScope(paths?.root ?? cwd, cwd, flag, env) : undefined;
}
