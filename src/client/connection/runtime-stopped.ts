import { AbilityError } from '../../contracts/problem.js';

/** The error for a runtime that was stopped on purpose. */
export function runtimeStopped(): AbilityError {
  return new AbilityError({
    code: 'runtime.stopped',
    message: 'The runtime of this project was stopped with `ability down`; the task is on disk',
    suggestion: 'Go on with `ability task watch KEY`, which starts the runtime.',
  });
}
