import type { Caller } from '../contracts/callers.js';
import { findScope } from '../definitions/find-scope.js';
import { ALL_RIGHTS } from '../rules/rights.js';
import type { OpenProject, OperationCaller } from './operation.js';
import { currentUser, readCaller, readTrace } from './read-caller.js';

/** A project as a program of its user opens it: where Temporal itself is in reach. */
export function projectHere(
  { registry, ask, note }: Pick<OpenProject, 'registry' | 'ask' | 'note'>,
  env: NodeJS.ProcessEnv,
  environment = env.ABILITY_ENV || undefined,
): OpenProject {
  return {
    registry,
    ask,
    note,
    environment,
    env,
    inSession: (_, __, ___, action) => action(null),
    reserve: () => () => {},
    readsOthers: true,
  };
}

interface Said {
  user?: string | undefined;
  caller?: Caller | undefined;
  session?: string | null | undefined;
  scope?: string | undefined;
  token?: string | undefined;
}

/** Who calls, as variables say unless it is said otherwise. @param cwd the folder in which the caller works. */
export function callerHere(root: string, cwd: string, env: NodeJS.ProcessEnv, said: Said = {}): OperationCaller {
  const { user, caller, session, scope, token } = said;
  return {
    person: user === undefined ? currentUser(env) : { name: user, source: 'claimed' },
    kind: caller ?? readCaller(env),
    session: session === undefined ? env.ABILITY_SESSION || null : session,
    scope: findScope(root, cwd, scope, env),
    trace: readTrace(env),
    proof: { token, door: null },
    rights: ALL_RIGHTS,
    name: 'here',
  };
}
