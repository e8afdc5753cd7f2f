import { AbilityError } from '../../contracts/problem.js';

/** What an expression may cost. Source: answers, 30. */
export const EXPRESSION_LIMITS = { characters: 4096, depth: 64, nodes: 2000, visits: 100_000 } as const;

/** Values of a string or bytes that count as one visit. */
const CHARACTERS_A_VISIT = 64;

/**
 * Counts what one evaluation visits, so that an expression ends with an error and never hangs.
 *
 * Counting is by values and characters touched, not by the clock: a workflow that is replayed counts the same.
 */
export class VisitBudget {
  private left: number = EXPRESSION_LIMITS.visits;

  /** Whether more was asked for than there is. Some operators of CEL swallow errors, so ask again at the end. */
  get isExceeded(): boolean {
    return this.left < 0;
  }

  /** @throws AbilityError `expression.too_costly` when the budget is used up. */
  spend(visits: number): void {
    this.left -= visits;
    if (this.left < 0) throw EXCEEDED;
  }

  /** Spends what reading the whole of a value costs: its characters or its members. */
  spendOn(value: unknown, times = 1): void {
    if (typeof value === 'string') this.spend(Math.ceil(value.length / CHARACTERS_A_VISIT) * times);
    else if (value !== null && typeof value === 'object') this.spend(membersOf(value) * times);
  }

  /** Spends what comparing a value deeply costs. */
  spendDeeplyOn(value: unknown): void {
    this.spendOn(value);
    if (value === null || typeof value !== 'object') return;
    for (const item of value instanceof Map ? value.values() : Object.values(value)) this.spendDeeplyOn(item);
  }
}

function membersOf(value: object): number {
  if (Array.isArray(value)) return value.length;
  return value instanceof Map || value instanceof Set ? value.size : Object.keys(value).length;
}

/** The error for an expression that asks for too much. */
export function tooCostly(why: string): AbilityError {
  return new AbilityError({
    code: 'expression.too_costly',
    message: `The expression ${why}`,
    suggestion: 'Do the work in an ability, or make the data smaller before it comes here.',
  });
}

/** Thrown again and again while an expression winds down, so it is made once. */
export const EXCEEDED: AbilityError = tooCostly(`visits more than ${EXPRESSION_LIMITS.visits} values`);
