import type { SealKeys } from '../activities/seal.js';
import type { RuntimeFile } from '../contracts/runtime.js';
import { ownProofs } from '../server/keys/check-proof.js';
import type { ProjectPaths } from '../server/project-paths.js';
import { WorkerHost } from './host-workers.js';
import { log } from './logger.js';
import { serverFailed } from './runtime-options.js';

const CONNECT_MS = 30_000;
const AGAIN_MS = 30;

export interface HostedProject {
  paths: ProjectPaths;
  env: NodeJS.ProcessEnv;
  project: string;
  keys: SealKeys;
  namespace: string;
  announcement: Pick<RuntimeFile, 'address' | 'store' | 'ui'>;
}

/**
 * Connects a runtime's workers once its server answers; undefined if the runtime was stopped before. @throws
 * AbilityError with the end of the server's log if the server does not come up.
 */
export async function connectHost(
  { paths, env, project, keys, namespace, announcement }: HostedProject,
  runtime: { isLeaving: () => boolean; hasExited: () => boolean },
): Promise<WorkerHost | undefined> {
  const { address, store, ui } = announcement;
  const deadline = Date.now() + CONNECT_MS;
  while (!runtime.isLeaving()) {
    try {
      return await WorkerHost.connect({
        paths,
        project,
        connectionOptions: { address },
        namespace,
        store,
        keys,
        env,
        ui,
        ownProofs: proofsOf(paths, project),
      });
    } catch (error) {
      if (runtime.hasExited() || Date.now() > deadline) throw serverFailed(paths.serverLog, error);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
  return undefined;
}

/** Undefined without a usable key: then only the proofs of doors that ability.yaml names are checked. */
function proofsOf(paths: ProjectPaths, project: string): ReturnType<typeof ownProofs> | undefined {
  try {
    return ownProofs(paths, project);
  } catch (error) {
    log.warn({ reason: String(error) }, 'no decision can be proved here');
    return undefined;
  }
}
