import { runSession as run, type SessionRunOptions } from '../../client/index.js';
import { AbilityError } from '../../contracts/problem.js';
import { type Connection, originOf } from './connection.js';

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
