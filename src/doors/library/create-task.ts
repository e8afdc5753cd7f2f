import { type CreatedTask, createTask as create, type Connection as Inner, type NewTask } from '../../client/index.js';
import type { Caller, Person } from '../../contracts/callers.js';
import { AbilityError } from '../../contracts/problem.js';
import { findScope } from '../../definitions/find-scope.js';
import { chooseEnvironment, resolveEnvironment } from '../../planning/resolve/resolve-environment.js';
import { readCaller, readTrace } from '../cli/input/read-caller.js';
import { currentUser } from '../cli/program/context.js';
import { type Connection, originOf, refuseUnknown } from './connection.js';

/** The optional parts of a task; their defaults are those of the command line. */
type Defaulted = 'environment' | 'input' | 'run';

/** A task to create. */
export interface TaskOptions
  extends Pick<NewTask, 'ability' | 'files' | 'key' | 'direct' | 'plan' | 'signal' | 'onStall'>,
    Partial<Pick<NewTask, Defaulted>> {
  /** Default: `ABILITY_ENV`, else the project's `default_environment` or only one. Required over HTTP. */
  environment?: string;
  /** Left out: `{}`. */
  input?: NewTask['input'];
  /** The requester; default: `ABILITY_USER` or the OS user, as a claim. Over HTTP: the token's person. */
  user?: Person;
  /** Default: `ABILITY_SESSION`; null: none. */
  session?: string | null;
  /** Default: `ABILITY_SCOPE`, else the folder of the nearest `ABILITY.md`. */
  scope?: string;
  /** Default: as on the command line, a person, CI or an agent. */
  caller?: Caller;
  /** The purpose, in the words of the requester; one line. */
  intent?: string;
  /** Whether it runs at once; if left out, it waits for {@link runTask}. */
  run?: boolean;
}

/** Names of the options of a task. */
export const TASK_OPTIONS = [
  'ability',
  'environment',
  'input',
  'files',
  'user',
  'session',
  'scope',
  'caller',
  'intent',
  'key',
  'run',
  'direct',
  'plan',
  'signal',
  'onStall',
] as const satisfies readonly (keyof TaskOptions)[];

/**
 * Resolves once the task has started; the same key and request give the same task.
 * @throws AbilityError `ability.not_found`, `input.invalid`, `guard.denied`, `scope.environment`,
 * `task.key_conflict`, `placement.no_worker`, and others of docs/errors.md.
 */
export async function createTask(connection: Connection, options: TaskOptions): Promise<CreatedTask> {
  refuseUnknown(options, TASK_OPTIONS, 'a task');
  return create(connection as Inner, completed(connection, options));
}

/** As {@link createTask}, for a caller who waits for the end anyway: resolves once Temporal has the task. */
export async function startTask(connection: Connection, options: TaskOptions): Promise<CreatedTask> {
  return create(connection as Inner, { ...completed(connection, options), soon: true });
}

/** Fills in what was left out, as the command line does. */
function completed(connection: Connection, options: TaskOptions): NewTask {
  const { loader, env } = originOf(connection);
  const {
    input = {},
    run = false,
    user: person = currentUser(env),
    session,
    scope,
    caller,
    intent = null,
    ...rest
  } = options;
  const wanted = { ...rest, input, run };
  if (!loader) {
    const who = { person, kind: caller ?? null, session: session ?? null, scope: scope ?? null, trace: null, intent };
    return { ...wanted, environment: needed(rest.environment), caller: who };
  }
  const registry = loader.load();
  const named = chooseEnvironment(registry.project, rest.environment ?? env.ABILITY_ENV);
  return {
    ...wanted,
    environment: resolveEnvironment(registry, named).name,
    caller: {
      person,
      kind: caller ?? readCaller(env),
      session: session === undefined ? env.ABILITY_SESSION || null : session,
      scope: findScope(loader.root, process.cwd(), scope, env),
      trace: readTrace(env),
      intent,
    },
  };
}

function needed(environment: string | undefined): string {
  if (environment !== undefined) return environment;
  throw new AbilityError({
    code: 'config.no_environment',
    message: 'Over HTTP a task needs an environment: a door does not state which is the default',
    suggestion: 'Pass `environment`.',
  });
}
