import { AbilityError } from '../contracts/problem.js';
import { isUnusableAnswer } from '../rules/error-families.js';
import { CallFailure } from './call-failure.js';

/**
 * A failure of a call that had begun, as one that says so where an answer came that cannot be used.
 *
 * Such a call has had its effect: it is not made again, and its `undo` is due. Any other error is given back as it is.
 */
export function asUnusableAnswer(error: unknown): unknown {
  if (!(error instanceof AbilityError) || !isUnusableAnswer(error.code)) return error;
  // What was lost or put off is no answer.
  if (error instanceof CallFailure && (error.unclear || error.hasArrived)) return error;
  const problem = error.toProblem();
  const message = `The call was made, and its answer cannot be used: ${problem.message}`;
  return new CallFailure({ ...problem, message }, { hasArrived: true, cause: error });
}
