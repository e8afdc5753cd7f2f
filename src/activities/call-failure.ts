import { AbilityError, type Problem } from '../contracts/problem.js';

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

/** What a failed attempt says of itself; an error that is none of ours says nothing. */
export function factsOf(error: unknown): Facts {
  return error instanceof CallFailure ? error : { unclear: false, isFinal: false, hasArrived: false, isAnswer: false };
}
