import { AbilityError } from '../../contracts/problem.js';

/** An integer as a JSON number. @throws AbilityError `expression.failed` beyond 2^53. */
export function wholeNumber(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new AbilityError({
    code: 'expression.failed',
    message: `The number ${value} is too large for JSON`,
    suggestion: 'Keep it as text: string(...).',
  });
}

export function noJson(what: string): AbilityError {
  return new AbilityError({
    code: 'expression.failed',
    message: `The expression gives ${what}, which is no JSON value`,
    suggestion: 'Make a string, number, boolean, list or map of it.',
  });
}
