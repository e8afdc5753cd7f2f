import { posix } from 'node:path';
import { z } from 'zod';
import { findDocuments } from '../authoring/routing-documents/find-documents.js';
import { actOf } from '../choosing/decide/asks-for.js';
import { wordsIn } from '../choosing/words.js';
import type { Gap, NewGap } from '../contracts/gaps.js';
import { AbilityError } from '../contracts/problem.js';
import type { Registry } from '../definitions/registry.js';
import { maskerFor } from '../planning/secrets/credentials.js';
import { GapLog } from '../server/logs/gap-log.js';
import { pathsOf } from '../server/project-paths.js';
import { attempt } from '../text/attempt.js';
import { answer, operation } from './operation.js';
import type { RoutedRequest } from './route-request.js';

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

/** Source: R-000-93, R-000-94. */
export const listGaps = operation({
  summary: 'The requests that no ability covered, those for the same thing together, the most frequent first.',
  right: 'read',
  at: 'GET /v1/gaps',
  input: z.strictObject({}),
  answers: answer(
    'The groups; `also` has other wordings.',
    z.strictObject({
      gaps: z.array(z.looseObject({ request: z.string(), times: z.int(), nearest: z.array(z.string()) })),
    }),
  ),
  run: async (project) => ({ gaps: groupGaps(new GapLog(pathsOf(project.registry().root).system).read()) }),
  // No ability covers them.
  concerns: {
    each: ({ gaps }, may) => ({
      gaps: gaps.filter(({ environments }) =>
        environments.every((environment) => may({ ability: undefined, environment })),
      ),
    }),
  },
});

/** Returns an error handler that records an unknown id as a gap and rethrows. Source: R-000-93. */
export function noteUnknown(
  registry: Registry,
  env: NodeJS.ProcessEnv,
  { ability, environment, scope }: { ability: string; environment: string; scope: string | null },
): (error: unknown) => never {
  return (error) => {
    const isUnknown = error instanceof AbilityError && error.code === 'ability.not_found';
    const gap = { request: ability, kind: 'nothing_fits', door: 'run', environment, scope } as const;
    if (isUnknown) noteGap(registry, env, { ...gap, nearest: [] });
    throw error;
  };
}

/** Masks secrets of `env`. Never throws: no request fails because of a gap. Source: R-000-93. */
export function noteGap(registry: Registry, env: NodeJS.ProcessEnv, gap: NewGap): void {
  if (actOf(gap.request) !== 'asks') return;
  // Text that cannot be masked is not written.
  attempt(() => {
    const masker = maskerFor(registry, gap.environment, env);
    new GapLog(pathsOf(registry.root).system).note(masker.maskDeep(gap) as NewGap);
  });
}

/** Records that no ability which can run here fits a request; what fits elsewhere is named first. */
export function noteUnfit(
  registry: Registry,
  env: NodeJS.ProcessEnv,
  { request, fits, suggestions, nearest }: RoutedRequest,
  place: Pick<NewGap, 'door' | 'environment' | 'scope'>,
): void {
  if (fits) return;
  const kind = suggestions.length > 0 ? 'not_here' : 'nothing_fits';
  const near = [...suggestions.map(({ id }) => id), ...nearest].slice(0, 3);
  noteGap(registry, env, { request, kind, ...place, nearest: near });
}

/** By nearest routing document upwards, else the first. Source: R-000-93. @throws file system errors. */
export function gapsByPage(root: string): Map<string, GapGroup[]> {
  const pages = findDocuments(root);
  const byPage = new Map<string, Gap[]>();
  for (const gap of new GapLog(pathsOf(root).system).read()) {
    const page = pageOf(gap.scope ?? '', pages);
    if (page !== undefined) byPage.set(page, [...(byPage.get(page) ?? []), gap]);
  }
  return new Map([...byPage].map(([page, gaps]) => [page, groupGaps(gaps)]));
}

function pageOf(scope: string, pages: readonly string[]): string | undefined {
  const above = pages.filter((page) => {
    const folder = posix.dirname(page);
    return folder === '.' || scope === folder || scope.startsWith(`${folder}/`);
  });
  return above.toSorted((one, other) => other.length - one.length)[0] ?? pages[0];
}
