import { AbilityError } from '../../contracts/problem.js';
import { compileExpression, type Scope } from './evaluate.js';

/**
 * @param around the clock. @throws AbilityError `expression.*`;
 * `expression.not_boolean` for a result that is no boolean, so that no mistake counts as false.
 */
export function evaluateCondition(
  source: string,
  values: Scope['values'],
  around: Omit<Scope, 'values'> = {},
): boolean {
  const value = compileExpression(source).evaluate({ ...around, values });
  if (typeof value === 'boolean') return value;
  throw new AbilityError({
    code: 'expression.not_boolean',
    message: `\`${source}\` gives ${JSON.stringify(value)}, which is neither true nor false`,
    suggestion: 'Write a comparison.',
  });
}
