import { actOf } from '../../choosing/decide/asks-for.js';
import type { NewGap } from '../../contracts/gaps.js';
import type { Registry } from '../../definitions/registry.js';
import { knownSecrets } from '../../planning/known-secrets.js';
import { Masker } from '../../planning/masking/masker.js';
import { SecretSource } from '../../planning/secret-source.js';
import { GapLog } from '../../server/gap-log.js';
import { pathsOf } from '../../server/project-paths.js';

/**
 * Notes what was asked for and is not there, with known secrets masked, for `ability harvest`; words that ask for nothing are none. Never fails: a
 * request is never refused because of it. Source: R-000-93.
 *
 * @param env in which secrets are looked for.
 */
export function noteGap(registry: Registry, env: NodeJS.ProcessEnv, gap: NewGap): void {
  if (actOf(gap.request) !== 'asks') return;
  try {
    const masker = new Masker(knownSecrets(registry, new SecretSource(registry.root, gap.environment, env)));
    new GapLog(pathsOf(registry.root).system).note(masker.maskDeep(gap) as NewGap);
  } catch {
    // What cannot be masked is not written.
  }
}
