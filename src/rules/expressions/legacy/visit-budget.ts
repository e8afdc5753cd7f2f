import { EXCEEDED, EXPRESSION_LIMITS } from '../limits.js';
import { unwrapped } from './values.js';

const CHARACTERS_A_VISIT = 64;
/** To recognize a map, the library reads all its keys. */
const VISITS_A_KEY = 2;

/** Limits an evaluation by values and characters visited, not by the clock, so that replays count the same. */
export class VisitBudget {
  private left: number = EXPRESSION_LIMITS.visits;

  /** Some CEL operators ignore errors, so also check this at the end of an evaluation. */
  get isExceeded(): boolean {
    return this.left < 0;
  }

  /** @throws AbilityError `expression.too_costly` if the budget is exceeded. */
  spend(visits: number): void {
    this.left -= visits;
    if (this.left < 0) throw EXCEEDED;
  }

  /** @throws AbilityError `expression.too_costly` if the budget was exceeded before. */
  refuseWhenSpent(): void {
    if (this.left < 0) throw EXCEEDED;
  }

  /** Items of a list, keys of a map. `all` and `exists` go on after an error, but end without a next item. */
  turnsOver(value: object): object {
    const items = Array.isArray(value) ? value : keysOf(value);
    return new Proxy(items, {
      get: (target, key, receiver) => {
        this.refuseWhenSpent();
        return Reflect.get(target, key, receiver);
      },
    });
  }

  /** Adds the cost of reading a value, without nested ones. */
  spendOn(value: unknown, times = 1): void {
    this.refuseWhenSpent();
    if (typeof value === 'string') this.spend(Math.ceil(value.length / CHARACTERS_A_VISIT) * times);
    else if (value !== null && typeof value === 'object') this.spend(membersOf(value) * times);
  }

  spendDeeplyOn(value: unknown): void {
    this.refuseWhenSpent();
    this.spend(wholeCostOf(value));
  }
}

/** Caches; values are immutable, and counting takes as long as reading. */
const keys = new WeakMap<object, unknown[]>();
const wholeCosts = new WeakMap<object, number>();

/** Always the same list for the same map. */
function keysOf(map: object): unknown[] {
  const plain = unwrapped(map);
  const known = keys.get(plain);
  if (known) return known;
  const found = plain instanceof Map || plain instanceof Set ? [...plain.keys()] : Object.keys(plain);
  keys.set(plain, found);
  return found;
}

/** Bytes count like text: listing the keys of a megabyte would take 100 ms. */
function membersOf(value: object): number {
  if (ArrayBuffer.isView(value)) return Math.ceil(value.byteLength / CHARACTERS_A_VISIT);
  return Array.isArray(value) ? value.length : keysOf(value).length * VISITS_A_KEY;
}

function wholeCostOf(value: unknown): number {
  if (value === null || typeof value !== 'object') return countWhole(value);
  const plain = unwrapped(value);
  const known = wholeCosts.get(plain);
  if (known !== undefined) return known;
  const cost = countWhole(plain);
  wholeCosts.set(plain, cost);
  return cost;
}

/** Stops above the budget. Does not cache nested values: that would take longer than counting. */
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
