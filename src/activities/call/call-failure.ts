import { AbilityError, type Problem } from '../../contracts/problem.js';
import { isUnusableAnswer } from '../../rules/calls/error-families.js';

type Facts = Pick<CallFailure, 'unclear' | 'isFinal' | 'hasArrived' | 'isAnswer'>;

/**
 * A failed attempt of a call. `unclear`: the effect may have taken place; if it must not be repeated, the outcome
 * is `unknown`. `isFinal`: another attempt would fail in the same way, whatever the effect allows. `hasArrived`:
 * the call had its effect, but its answer is unusable. `isAnswer`: the author declared that the answer means this
 * failure; it is retried only where the step names the code.
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

/** Facts about a failed attempt; all false for errors other than a CallFailure. */
export function factsOf(error: unknown): Facts {
  return error instanceof CallFailure ? error : { unclear: false, isFinal: false, hasArrived: false, isAnswer: false };
}

/** Marks a call that had its effect though its answer is unusable, so that its `undo` is due. */
export function asUnusableAnswer(error: unknown): unknown {
  if (!(error instanceof AbilityError) || !isUnusableAnswer(error.code)) return error;
  // A lost or postponed call has no answer.
  if (error instanceof CallFailure && (error.unclear || error.hasArrived)) return error;
  const problem = error.toProblem();
  const message = `The call was made, but its answer cannot be used: ${problem.message}`;
  return new CallFailure({ ...problem, message }, { hasArrived: true, cause: error });
}
