import { actOf } from '../../choosing/decide/asks-for.js';
import type { NewGap } from '../../contracts/gaps.js';
import { AbilityError } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { maskerFor } from '../../planning/secrets/credentials.js';
import { GapLog } from '../../server/logs/gap-log.js';
import { pathsOf } from '../../server/project-paths.js';
import { attempt } from '../../text/attempt.js';

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
