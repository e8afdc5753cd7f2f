import { wordsIn } from '../choosing/words.js';
import type { Gap } from '../contracts/gaps.js';

export type SaidGap = Pick<Gap, 'ts' | 'request' | 'kind' | 'environment' | 'nearest'>;

/** Requests for the same missing ability. Source: R-000-93, R-000-94. */
export interface GapGroup {
  request: string;
  /** Other wordings; at most three. */
  also: string[];
  times: number;
  /** ISO 8601. */
  first: string;
  last: string;
  environments: string[];
  kind: SaidGap['kind'];
  /** Ids of the nearest abilities at the latest request. */
  nearest: string[];
}

/** From this share of common words on, two requests count as the same. */
const SAME = 0.6;
const MAX_WAYS = 3;
const SAME_REQUEST_S = 10;

/** Only this many of the newest gaps are grouped: each is compared with all groups. */
const MAX_GAPS = 3000;

/** Groups requests for the same thing, the most frequent group first. */
export function groupGaps(gaps: readonly SaidGap[]): GapGroup[] {
  const groups: { stems: ReadonlySet<string>; gaps: SaidGap[] }[] = [];
  for (const gap of once(gaps.slice(-MAX_GAPS))) {
    const stems = stemsOf(gap.request);
    const known = groups.find((group) => group.gaps[0]?.kind === gap.kind && shareOf(group.stems, stems) >= SAME);
    if (known) known.gaps.push(gap);
    else groups.push({ stems, gaps: [gap] });
  }
  return groups.map(groupOf).sort((one, other) => other.times - one.times || (one.last < other.last ? 1 : -1));
}

/** Drops repetitions within seconds: `ask` and the hook `suggest` of its session report the same request. */
function once(gaps: readonly SaidGap[]): SaidGap[] {
  const last = new Map<string, number>();
  return gaps.filter(({ request, ts }) => {
    const before = last.get(request);
    last.set(request, ts);
    return before === undefined || Math.abs(ts - before) > SAME_REQUEST_S;
  });
}

function groupOf({ gaps }: { gaps: readonly SaidGap[] }): GapGroup {
  const inOrder = [...gaps].sort((one, other) => one.ts - other.ts);
  const [first, last] = [inOrder.at(0), inOrder.at(-1)] as [SaidGap, SaidGap];
  const { request, kind, nearest } = last;
  const others = new Set(inOrder.map((gap) => gap.request).filter((said) => said !== request));
  return {
    request,
    also: [...others].slice(-MAX_WAYS),
    times: gaps.length,
    first: timeOf(first),
    last: timeOf(last),
    environments: [...new Set(gaps.map(({ environment }) => environment))].sort(),
    kind,
    nearest: [...nearest],
  };
}

function timeOf({ ts }: SaidGap): string {
  return new Date(ts * 1000).toISOString();
}

/** Without names and numbers, in which requests for the same thing differ. */
function stemsOf(request: string): ReadonlySet<string> {
  const words = wordsIn(request).filter(({ kind }) => kind === 'content' || kind === 'common');
  return new Set(words.map(({ stem }) => stem));
}

function shareOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const common = [...one].filter((stem) => other.has(stem)).length;
  const all = one.size + other.size - common;
  return all === 0 ? 1 : common / all;
}
