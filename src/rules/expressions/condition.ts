import { AbilityError } from '../../contracts/problem.js';
import { compileExpression, type Scope } from './evaluate.js';

/**
 * Evaluates bare CEL that must give true or false.
 *
 * @param around the version of the plan, where a history may have to replay, and the clock.
 * @throws AbilityError `expression.*`; `expression.not_boolean` for any other value, so that no mistake reads as false.
 */
export function evaluateCondition(
  source: string,
  values: Scope['values'],
  around: Omit<Scope, 'values'> = {},
): boolean {
  const value = compileExpression(source, around.cel).evaluate({ ...around, values });
  if (typeof value === 'boolean') return value;
  throw new AbilityError({
    code: 'expression.not_boolean',
    message: `\`${source}\` gives ${JSON.stringify(value)}, which is neither true nor false`,
    suggestion: 'Write a comparison.',
  });
}
