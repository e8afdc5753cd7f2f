import type { NewTask } from '../../../client/index.js';
import { TRACEPARENT_VARIABLE } from '../../../contracts/traces.js';
import { readTraceparent } from '../../../rules/trace-context.js';

/** The trace that a command is part of: `TRACEPARENT`, as programs give it to those they start. Anything of another form is none. */
export function readTrace(env: NodeJS.ProcessEnv): Pick<NewTask, 'trace'> {
  const trace = readTraceparent(env[TRACEPARENT_VARIABLE]);
  return trace === undefined ? {} : { trace };
}
