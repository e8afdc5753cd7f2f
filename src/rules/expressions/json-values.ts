import { AbilityError } from '../../contracts/problem.js';

/** A whole number as JSON has it. @throws AbilityError `expression.failed` beyond 2^53. */
export function wholeNumber(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new AbilityError({
    code: 'expression.failed',
    message: `The number ${value} is too large for JSON`,
    suggestion: 'Keep it as text: string(...).',
  });
}

/** The error for a value that JSON cannot hold. */
export function noJson(what: string): AbilityError {
  return new AbilityError({
    code: 'expression.failed',
    message: `The expression gives ${what}, which is no JSON value`,
    suggestion: 'Make a string, number, boolean, list or map of it.',
  });
}
