import { AbilityError } from '../../contracts/problem.js';

/** Limits on the cost of an expression. Source: docs/workflow-language.md#expressions. */
export const EXPRESSION_LIMITS = { characters: 4096, depth: 64, nodes: 2000, visits: 100_000 } as const;

export function tooCostly(why: string): AbilityError {
  return new AbilityError({
    code: 'expression.too_costly',
    message: `The expression ${why}`,
    suggestion: 'Do the work in an ability, or make the data smaller before it comes here.',
  });
}

/** Created once: a failing expression may throw it many times. */
export const EXCEEDED: AbilityError = tooCostly(`visits more than ${EXPRESSION_LIMITS.visits} values`);
