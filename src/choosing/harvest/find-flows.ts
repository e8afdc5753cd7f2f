/** Abilities that were called in one piece of work, in the order of the calls. */
export interface Work {
  /** Names it, such as `session:s-1`. */
  id: string;
  calls: readonly { ability: string; intent?: string }[];
}

/** Abilities that are called together again and again. Source: R-000-94. */
export interface Flow {
  /** In the order that was seen most. */
  calls: string[];
  /** `fixed`: in that order nearly always; `varied`: in several. */
  order: 'fixed' | 'varied';
  /** In how many pieces of work. */
  times: number;
  /** How often in each order, the most frequent first. */
  orders: { calls: string[]; times: number }[];
  /** The purposes of the first calls, in the words of their requesters; the newest three. */
  intents: string[];
  /** Some of the pieces of work, the newest last. */
  works: string[];
}

const LONGEST = 6;
/** From this share on the other orders are exceptions. */
const FIXED = 0.8;
const MAX_NAMED = 5;
const MAX_INTENTS = 3;

/**
 * Finds abilities that followed each other directly in at least this many pieces of work. A part of a longer flow is left out if it seldom
 * occurred alone.
 *
 * @param works oldest first. @param least pieces of work, 2 or more.
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

/** Each run of different abilities in a piece of work, by its set of abilities; of two with the same set, the first. */
function windowsOf({ id, calls }: Work): Map<string, Seen> {
  // The same call again is one more attempt, or one more item.
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
  const [most] = orders as [{ calls: string[]; times: number }];
  const intents = seen.flatMap(({ intent }) => (intent === undefined ? [] : [intent]));
  return {
    calls: most.calls,
    order: most.times >= FIXED * seen.length ? 'fixed' : 'varied',
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
