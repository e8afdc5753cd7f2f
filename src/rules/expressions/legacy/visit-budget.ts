import { EXCEEDED, EXPRESSION_LIMITS } from '../limits.js';
import { unwrapped } from './values.js';

/** Characters of a string, or bytes, that count as one visit. */
const CHARACTERS_A_VISIT = 64;
/** The library looks at all keys of a map to find out that it is one. */
const VISITS_A_KEY = 2;

/**
 * Counts the visits of one evaluation, so that an expression ends with an error and never hangs.
 *
 * Counting is by values and characters touched, not by the clock: a workflow that is replayed counts the same.
 */
export class VisitBudget {
  private left: number = EXPRESSION_LIMITS.visits;

  /** Whether the budget was exceeded. Some operators of CEL swallow errors, so check again at the end. */
  get isExceeded(): boolean {
    return this.left < 0;
  }

  /** @throws AbilityError `expression.too_costly` when the budget is used up. */
  spend(visits: number): void {
    this.left -= visits;
    if (this.left < 0) throw EXCEEDED;
  }

  /** @throws AbilityError `expression.too_costly` when the budget is used up already. */
  refuseWhenSpent(): void {
    if (this.left < 0) throw EXCEEDED;
  }

  /**
   * The collection that a macro iterates over: the items of a list, the keys of a map.
   *
   * `all` and `exists` continue after an error in a turn; they end if no further item is available.
   */
  turnsOver(value: object): object {
    const items = Array.isArray(value) ? value : keysOf(value);
    return new Proxy(items, {
      get: (target, key, receiver) => {
        this.refuseWhenSpent();
        return Reflect.get(target, key, receiver);
      },
    });
  }

  /** Spends the cost of reading a whole value: its characters, its bytes or its members. */
  spendOn(value: unknown, times = 1): void {
    this.refuseWhenSpent();
    if (typeof value === 'string') this.spend(Math.ceil(value.length / CHARACTERS_A_VISIT) * times);
    else if (value !== null && typeof value === 'object') this.spend(membersOf(value) * times);
  }

  /** Spends the cost of comparing a value deeply. */
  spendDeeplyOn(value: unknown): void {
    this.refuseWhenSpent();
    this.spend(wholeCostOf(value));
  }
}

/** Values are immutable, so a count stays valid; counting the keys of a map costs as much as reading it. */
const keys = new WeakMap<object, unknown[]>();
const wholeCosts = new WeakMap<object, number>();

/** The keys of a map, which a macro over it goes through; always the same list for the same map. */
function keysOf(map: object): unknown[] {
  const plain = unwrapped(map);
  const known = keys.get(plain);
  if (known) return known;
  const found = plain instanceof Map || plain instanceof Set ? [...plain.keys()] : Object.keys(plain);
  keys.set(plain, found);
  return found;
}

/** Bytes are counted as text is: listing the keys of a megabyte of them would take 100 ms. */
function membersOf(value: object): number {
  if (ArrayBuffer.isView(value)) return Math.ceil(value.byteLength / CHARACTERS_A_VISIT);
  return Array.isArray(value) ? value.length : keysOf(value).length * VISITS_A_KEY;
}

/** Visits for a whole value, including nested ones. */
function wholeCostOf(value: unknown): number {
  if (value === null || typeof value !== 'object') return countWhole(value);
  const plain = unwrapped(value);
  const known = wholeCosts.get(plain);
  if (known !== undefined) return known;
  const cost = countWhole(plain);
  wholeCosts.set(plain, cost);
  return cost;
}

/** Counts no further than an expression may go. Nothing inside is noted down, which would take longer than counting. */
function countWhole(value: unknown): number {
  if (typeof value === 'string') return Math.ceil(value.length / CHARACTERS_A_VISIT);
  if (value === null || typeof value !== 'object') return 0;
  const plain = unwrapped(value);
  if (ArrayBuffer.isView(plain)) return membersOf(plain);
  const items = plain instanceof Map ? [...plain.values()] : Object.values(plain);
  let cost = Array.isArray(plain) ? items.length : items.length * VISITS_A_KEY;
  for (const item of items) {
    if (cost > EXPRESSION_LIMITS.visits) break;
    cost += countWhole(item);
  }
  return cost;
}
