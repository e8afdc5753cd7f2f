import { AbilityError } from '../../../contracts/problem.js';
import { memoize } from '../../../text/memoize.js';
import { Dictionary, keysOf, kindOf, List, lengthOf, Maybe, sizeOfMap } from './kinds.js';

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

const CHARACTERS_A_VISIT = 64;
/** A key is looked up, and its value read. */
const VISITS_A_KEY = 2;

/** Limits an evaluation by values and characters visited, not by the clock, so that replays count the same. */
export class Cost {
  private left: number = EXPRESSION_LIMITS.visits;

  get isExceeded(): boolean {
    return this.left < 0;
  }

  /** @throws AbilityError `expression.too_costly` if the budget is exceeded. */
  spend(visits: number): void {
    this.left -= visits;
    if (this.left < 0) throw EXCEEDED;
  }

  /** Adds the cost of reading a value, without nested ones. */
  spendOn(value: unknown, times = 1): void {
    if (typeof value === 'string') this.spend(Math.ceil(value.length / CHARACTERS_A_VISIT) * times);
    else if (value !== null && typeof value === 'object') this.spend(membersOf(value) * times);
  }

  spendDeeplyOn(value: unknown): void {
    if (typeof value === 'string') this.spend(Math.ceil(value.length / CHARACTERS_A_VISIT));
    else if (value !== null && typeof value === 'object') this.spend(wholeCostOf(value));
  }
}

function membersOf(value: object): number {
  switch (kindOf(value)) {
    case 'bytes':
      return Math.ceil((value as Uint8Array).byteLength / CHARACTERS_A_VISIT);
    case 'list':
      return lengthOf(value);
    case 'map':
      return (value instanceof Dictionary ? value.entries.size : sizeOfPlain(value)) * VISITS_A_KEY;
    default:
      return 0;
  }
}

// Cached; values are immutable, and counting takes as long as reading.
const sizeOfPlain = memoize(sizeOfMap);
const wholeCostOf = memoize((value: object) => countWhole(value));

/** Stops above the budget. Does not cache nested values: that would take longer than counting. */
function countWhole(value: unknown): number {
  if (typeof value === 'string') return Math.ceil(value.length / CHARACTERS_A_VISIT);
  if (value === null || typeof value !== 'object') return 0;
  let cost = membersOf(value);
  for (const item of partsOf(value)) {
    if (cost > EXPRESSION_LIMITS.visits) break;
    cost += countWhole(item);
  }
  return cost;
}

function partsOf(value: object): Iterable<unknown> {
  if (Array.isArray(value)) return value;
  if (value instanceof List) return value.items;
  if (value instanceof Maybe) return [value.value];
  if (value instanceof Dictionary) return [...value.entries.values()].map(([, item]) => item);
  if (kindOf(value) !== 'map') return [];
  return keysOf(value).map((key) => (value as Record<string, unknown>)[key as string]);
}
