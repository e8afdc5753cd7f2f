import { AbilityError } from '../../contracts/problem.js';
import { HEARTBEAT } from '../processes/heartbeat.js';
import { describeHolder, type LockHolder } from '../processes/lock.js';

/** The error for a runtime that lives where this process can neither see nor reach it. */
export function runtimeElsewhere(holder: LockHolder): AbilityError {
  const seconds = HEARTBEAT.stale / 1000;
  return new AbilityError({
    code: 'runtime.elsewhere',
    message: `The runtime of this project is ${describeHolder(holder)}, which cannot be seen from here`,
    suggestion: `Run the command there, or stop the runtime there: \`ability down\`. One that has died is replaced ${seconds} s after its last sign of life. For several machines run a Temporal server: --address.`,
  });
}
