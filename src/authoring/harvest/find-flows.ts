/** The abilities called during one session or run, in call order. */
export interface Work {
  /** For example `session:s-1`. */
  id: string;
  calls: readonly { ability: string; intent?: string }[];
}

/** Abilities that are repeatedly called together. Source: R-000-94. */
export interface Flow {
  /** In the most frequent order. */
  calls: string[];
  /** `fixed`: nearly always in this order. */
  order: 'fixed' | 'varied';
  /** The number of works that contain it. */
  times: number;
  /** The number of works for each order, the most frequent first. */
  orders: { calls: string[]; times: number }[];
  /** The intents of the first calls; the newest three. */
  intents: string[];
  /** Ids of some works, the newest last. */
  works: string[];
}

const LONGEST = 6;
/** From this share on, an order counts as fixed. */
const FIXED = 0.8;
const MAX_NAMED = 5;
const MAX_INTENTS = 3;

/**
 * Abilities that directly followed each other in at least `least` works; parts of longer flows only if they
 * occurred that often without these. @param works oldest first. @param least 2 or more.
 */
export function findFlows(works: readonly Work[], least: number): Flow[] {
  const seen = new Map<string, Seen[]>();
  for (const work of works) {
    for (const [abilities, one] of windowsOf(work)) seen.set(abilities, [...(seen.get(abilities) ?? []), one]);
  }
  const flows = [...seen.values()].filter(({ length }) => length >= least).map(flowOf);
  return flows
    .filter((flow) => !flows.some((other) => isPartOf(flow, other) && flow.times - other.times < least))
    .sort((one, other) => other.times - one.times || other.calls.length - one.calls.length || compare(one, other));
}

interface Seen {
  work: string;
  calls: string[];
  intent: string | undefined;
}

/** All runs of different abilities, keyed by their set; of runs with the same set, the first. */
function windowsOf({ id, calls }: Work): Map<string, Seen> {
  // A repeated call is another attempt, or another item.
  const inOrder = calls.filter(({ ability }, at) => ability !== calls[at - 1]?.ability);
  const windows = new Map<string, Seen>();
  for (const [at, { intent }] of inOrder.entries()) {
    for (let length = 2; length <= LONGEST && at + length <= inOrder.length; length++) {
      const abilities = inOrder.slice(at, at + length).map(({ ability }) => ability);
      const key = [...new Set(abilities)].sort().join('\n');
      if (new Set(abilities).size < length) break;
      if (!windows.has(key)) windows.set(key, { work: id, calls: abilities, intent });
    }
  }
  return windows;
}

function flowOf(seen: readonly Seen[]): Flow {
  const counts = new Map<string, { calls: string[]; times: number }>();
  for (const { calls } of seen) {
    const key = calls.join('\n');
    counts.set(key, { calls, times: (counts.get(key)?.times ?? 0) + 1 });
  }
  const orders = [...counts.values()].sort((one, other) => other.times - one.times);
  const [commonest] = orders as [{ calls: string[]; times: number }];
  const intents = seen.flatMap(({ intent }) => (intent === undefined ? [] : [intent]));
  return {
    calls: commonest.calls,
    order: commonest.times >= FIXED * seen.length ? 'fixed' : 'varied',
    times: seen.length,
    orders,
    intents: [...new Set(intents)].slice(-MAX_INTENTS),
    works: seen.slice(-MAX_NAMED).map(({ work }) => work),
  };
}

function isPartOf({ calls }: Flow, other: Flow): boolean {
  return other.calls.length > calls.length && calls.every((call) => other.calls.includes(call));
}

function compare(one: Flow, other: Flow): number {
  return one.calls.join() < other.calls.join() ? -1 : 1;
}
