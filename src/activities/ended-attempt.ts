import { TemporalFailure } from '@temporalio/common';
import { isRepeatable } from '../contracts/effects.js';
import type { PlanOperation } from '../contracts/plan.js';
import { AbilityError, type Problem } from '../contracts/problem.js';
import type { Attempt } from './attempt.js';
import { CallFailure, factsOf } from './call-failure.js';
import type { CallLog } from './call-log.js';
import { toFailure, unknownOutcome } from './failures.js';

/** An answer that is quoted in an error may repeat the credential it was asked with. */
export function masked(error: unknown, log: CallLog): unknown {
  if (!(error instanceof AbilityError)) return maskedMistake(error, log);
  const { unclear, isFinal, hasArrived, isAnswer } = factsOf(error);
  return new CallFailure(log.maskProblem(error.toProblem()), { unclear, isFinal, hasArrived, isAnswer, cause: error });
}

/** A mistake of ours travels with its stack, which begins with its message; a cancellation travels as it is. */
function maskedMistake(error: unknown, log: CallLog): unknown {
  if (!(error instanceof Error) || error instanceof TemporalFailure) return error;
  const other = new Error(log.mask(error.message));
  other.name = error.name;
  if (error.stack !== undefined) other.stack = log.mask(error.stack);
  return other;
}

const CANCELLED_BEFORE: Problem = { code: 'outcome.unknown', message: 'an earlier attempt had not ended clearly' };

/** A cancelled call is cancelled, unless it may not be repeated and nobody knows how far it came. */
export function cancelledBy(attempt: Attempt, error: unknown, operation: PlanOperation): unknown {
  const unclear = attempt.unclearBefore || factsOf(error).unclear;
  if (!unclear || isRepeatable(operation.effects)) return attempt.signal.reason;
  const seen = error instanceof AbilityError ? error.toProblem() : CANCELLED_BEFORE;
  return toFailure(new CallFailure(unknownOutcome(seen), { cause: error }), undefined, { cut: true });
}

/** Whether it is known what became of a call, although it was cancelled as well. */
export function isSettled(error: unknown): boolean {
  return error instanceof CallFailure && (error.hasArrived || error.code === 'outcome.unknown');
}

/** Which limit an attempt ran into: its own or the step's. */
export function limited(error: unknown, attempt: Attempt): unknown {
  if (!(error instanceof CallFailure && error.code === 'timeout.call' && attempt.limitedByStep)) return error;
  const message = `${error.message} (all the step had left)`;
  return new CallFailure(
    { ...error.toProblem(), code: 'timeout.step', message },
    { unclear: error.unclear, hasArrived: error.hasArrived, cause: error },
  );
}
