import type { RuntimeFile } from '../contracts/runtime.js';
import { packageVersion } from '../server/installation.js';
import { ownSpace } from '../server/processes/process-space.js';
import { ownMark } from '../server/processes/processes.js';
import type { ProjectPaths } from '../server/project-paths.js';

export function newRuntimeFile(
  paths: ProjectPaths,
  where: Pick<RuntimeFile, 'address' | 'ui' | 'namespace'>,
  env: NodeJS.ProcessEnv,
): RuntimeFile {
  return {
    format: 1,
    version: packageVersion(),
    state: 'starting',
    ...ownMark(),
    ...ownSpace(),
    server: null,
    ...where,
    store: env.ABILITY_STORE ?? paths.store,
    registry_digest: null,
    log: paths.runtimeLog,
  };
}
