import { posix } from 'node:path';
import { findDocuments } from '../authoring/routing-documents/find-documents.js';
import { actOf } from '../choosing/decide/asks-for.js';
import type { Gap, NewGap } from '../contracts/gaps.js';
import { AbilityError } from '../contracts/problem.js';
import type { Registry } from '../definitions/registry.js';
import { maskerFor } from '../planning/secrets/credentials.js';
import { GapLog } from '../server/logs/gap-log.js';
import { pathsOf } from '../server/project-paths.js';
import { attempt } from '../text/attempt.js';
import { type GapGroup, groupGaps } from './group-gaps.js';
import type { RoutedRequest } from './route-request.js';

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
