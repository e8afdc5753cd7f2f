import { actOf } from '../../choosing/decide/asks-for.js';
import type { NewGap } from '../../contracts/gaps.js';
import { AbilityError } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { maskerFor } from '../../planning/secrets/credentials.js';
import { GapLog } from '../../server/logs/gap-log.js';
import { pathsOf } from '../../server/project-paths.js';

/** Notes an id that no ability has, as a request for it; gives the error back. Source: R-000-93. */
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

/**
 * Records a gap for `ability harvest`, with known secrets masked; a text that requests nothing is no gap. Never fails: a request is never
 * refused because of it. Source: R-000-93.
 *
 * @param env searched for secrets.
 */
export function noteGap(registry: Registry, env: NodeJS.ProcessEnv, gap: NewGap): void {
  if (actOf(gap.request) !== 'asks') return;
  try {
    const masker = maskerFor(registry, gap.environment, env);
    new GapLog(pathsOf(registry.root).system).note(masker.maskDeep(gap) as NewGap);
  } catch {
    // Text that cannot be masked is not written.
  }
}
