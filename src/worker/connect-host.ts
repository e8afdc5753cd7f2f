import type { SealKeys } from '../activities/seal.js';
import type { RuntimeFile } from '../contracts/runtime.js';
import type { ProjectPaths } from '../server/project-paths.js';
import { WorkerHost } from './host-workers.js';
import { ownProofs } from './own-proofs.js';
import { serverFailed } from './runtime-failures.js';

const CONNECT_MS = 30_000;
const AGAIN_MS = 30;

/** Of which project the workers are, and where its server is. */
export interface HostedProject {
  paths: ProjectPaths;
  env: NodeJS.ProcessEnv;
  project: string;
  keys: SealKeys;
  namespace: string;
  announcement: Pick<RuntimeFile, 'address' | 'store' | 'ui'>;
}

/**
 * Connects the workers of a runtime once its server answers.
 *
 * @returns undefined when the runtime was asked to leave before.
 * @throws AbilityError with the end of the server's log where it does not come up.
 */
export async function connectHost(
  { paths, env, project, keys, namespace, announcement }: HostedProject,
  runtime: { isLeaving: () => boolean; isGone: () => boolean },
): Promise<WorkerHost | undefined> {
  const { address, store, ui } = announcement;
  const deadline = Date.now() + CONNECT_MS;
  while (!runtime.isLeaving()) {
    try {
      const checkProof = ownProofs(paths, project);
      return await WorkerHost.connect({
        paths,
        project,
        connectionOptions: { address },
        namespace,
        store,
        keys,
        env,
        ui,
        checkProof,
      });
    } catch (error) {
      if (runtime.isGone() || Date.now() > deadline) throw serverFailed(paths.serverLog, error);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
  return undefined;
}
