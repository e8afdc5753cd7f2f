import { EXCEEDED, EXPRESSION_LIMITS } from '../limits.js';
import { keysOf, lengthOf, sizeOfMap } from './collections.js';
import { Dictionary, kindOf, List, Maybe } from './kinds.js';

/** Characters of a text, or bytes, that count as one visit. */
const CHARACTERS_A_VISIT = 64;
/** A map key is found, and read, for each value. */
const VISITS_A_KEY = 2;

/**
 * Counts the visits of one evaluation, so that an expression ends with an error and never hangs.
 *
 * Counting is by values and characters touched, not by the clock: a workflow that is replayed counts the same.
 */
export class Cost {
  private left: number = EXPRESSION_LIMITS.visits;

  /** Whether the evaluation has exceeded its budget; it then stops. */
  get isExceeded(): boolean {
    return this.left < 0;
  }

  /** @throws AbilityError `expression.too_costly` when the visits are used up. */
  spend(visits: number): void {
    this.left -= visits;
    if (this.left < 0) throw EXCEEDED;
  }

  /** Spends the cost of reading a whole value: its characters, its bytes or its members. */
  spendOn(value: unknown, times = 1): void {
    if (typeof value === 'string') this.spend(Math.ceil(value.length / CHARACTERS_A_VISIT) * times);
    else if (value !== null && typeof value === 'object') this.spend(membersOf(value) * times);
  }

  /** Spends the cost of comparing a value deeply. */
  spendDeeplyOn(value: unknown): void {
    if (typeof value === 'string') this.spend(Math.ceil(value.length / CHARACTERS_A_VISIT));
    else if (value !== null && typeof value === 'object') this.spend(wholeCostOf(value));
  }
}

/** Values are immutable, so a count stays valid; counting costs as much as reading. */
const sizes = new WeakMap<object, number>();
const wholeCosts = new WeakMap<object, number>();

function membersOf(value: object): number {
  switch (kindOf(value)) {
    case 'bytes':
      return Math.ceil((value as Uint8Array).byteLength / CHARACTERS_A_VISIT);
    case 'list':
      return lengthOf(value);
    case 'map':
      return sizeOf(value) * VISITS_A_KEY;
    default:
      return 0;
  }
}

function sizeOf(map: object): number {
  if (map instanceof Dictionary) return map.entries.size;
  const known = sizes.get(map);
  if (known !== undefined) return known;
  const size = sizeOfMap(map);
  sizes.set(map, size);
  return size;
}

/** Visits for a whole value, including nested ones. */
function wholeCostOf(value: object): number {
  const known = wholeCosts.get(value);
  if (known !== undefined) return known;
  const cost = countWhole(value);
  wholeCosts.set(value, cost);
  return cost;
}

/** Counts no further than an expression may go. Nothing inside is noted down, which would take longer than counting. */
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
