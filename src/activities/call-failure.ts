import { AbilityError, type Problem } from '../contracts/problem.js';

/**
 * A failed attempt of a call.
 *
 * `unclear` means that the effect may have taken place all the same: the answer was lost, not the request. For an
 * effect that must not be repeated that makes the outcome `unknown`. `isFinal` means that another attempt would fail in the
 * same way, whatever the effect allows.
 */
export class CallFailure extends AbilityError {
  readonly unclear: boolean;
  readonly isFinal: boolean;

  constructor(
    problem: Problem,
    { unclear = false, isFinal = false, cause }: { unclear?: boolean; isFinal?: boolean; cause?: unknown } = {},
  ) {
    super(problem, { cause });
    this.unclear = unclear;
    this.isFinal = isFinal;
  }
}
