import type { CheckResult } from '../../../../contracts/check.js';
import { AbilityError } from '../../../../contracts/problem.js';
import { checkKeys } from '../../../../server/checks/check-machine.js';
import type { ProjectPaths } from '../../../../server/project-paths.js';
import { keysFromEnvironment } from '../../../../worker/seal-keys.js';

const name = 'keys';

/**
 * Whether a worker here would have the keys that seal plans.
 *
 * With a server that is shared, workers take them from `ABILITY_SEAL_KEYS` and from nowhere else, so that all have the same;
 * a machine that only calls needs none, so that their absence is a warning.
 */
export function checkSealKeys(paths: ProjectPaths, env: NodeJS.ProcessEnv, isShared: boolean): CheckResult {
  const { ABILITY_SEAL_KEYS: given } = env;
  if (!given) return isShared ? MISSING : checkKeys(paths);
  try {
    const ids = [...keysFromEnvironment(given).keys.keys()];
    const others = ids.length > 1 ? `, ${ids.slice(1).join(', ')} only ${ids.length > 2 ? 'verify' : 'verifies'}` : '';
    return { name, status: 'ok', message: `ABILITY_SEAL_KEYS is set: ${ids[0]} signs${others}` };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return { name, status: 'failed', message: error.message, advice: error.suggestion ?? 'Correct ABILITY_SEAL_KEYS.' };
  }
}

const MISSING: CheckResult = {
  name,
  status: 'warning',
  message: 'ABILITY_SEAL_KEYS is not set: a worker of this shared server does not start without it',
  advice: 'Give all workers the same keys; `ability keys create` makes one. A machine that only calls needs none.',
};
