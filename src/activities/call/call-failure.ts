import { AbilityError, type Problem } from '../../contracts/problem.js';
import { isUnusableAnswer } from '../../rules/calls/error-families.js';

type Facts = Pick<CallFailure, 'unclear' | 'isFinal' | 'hasArrived' | 'isAnswer'>;

/**
 * A failed attempt of a call.
 *
 * `unclear` means that the effect may have taken place all the same: the answer was lost, not the request. For an
 * effect that must not be repeated that makes the outcome `unknown`. `isFinal` means that another attempt would fail in the
 * same way, whatever the effect allows. `hasArrived` means that the call was made and answered, and only its answer cannot
 * be used: it has had its effect. `isAnswer` means that the failure is what the author says the answer means: another
 * attempt is made only where the step names the code.
 */
export class CallFailure extends AbilityError {
  readonly unclear: boolean;
  readonly isFinal: boolean;
  readonly hasArrived: boolean;
  readonly isAnswer: boolean;

  constructor(
    problem: Problem,
    {
      unclear = false,
      isFinal = false,
      hasArrived = false,
      isAnswer = false,
      cause,
    }: Partial<Facts> & { cause?: unknown } = {},
  ) {
    super(problem, { cause });
    this.unclear = unclear;
    this.isFinal = isFinal;
    this.hasArrived = hasArrived;
    this.isAnswer = isAnswer;
  }
}

/** What is known of a failed attempt; nothing of an error that is none of ours. */
export function factsOf(error: unknown): Facts {
  return error instanceof CallFailure ? error : { unclear: false, isFinal: false, hasArrived: false, isAnswer: false };
}

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
