import type { ActivityDependencies } from '../activities/dependencies.js';
import type { SealKeys } from '../activities/seal.js';
import type { RuntimeFile } from '../contracts/runtime.js';
import { createProofKey, provableUser, readProofKey, whyNotProved } from '../server/keys/proof-key.js';
import { TokenFolder } from '../server/keys/tokens/token-folder.js';
import { whyTokenProvesNot } from '../server/keys/tokens/token-proof.js';
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
      if (runtime.hasExited() || Date.now() > deadline) throw serverFailed(paths.serverLog, error);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
  return undefined;
}

/** The owner proves by key, others by tokens. Null without key: approvals that require proof are refused. */
export function ownProofs(
  { proofKey, tokens: folder }: Pick<ProjectPaths, 'proofKey' | 'tokens'>,
  project: string,
): ActivityDependencies['checkProof'] {
  try {
    createProofKey(proofKey);
    const key = readProofKey(proofKey);
    const user = provableUser();
    const tokens = new TokenFolder(folder, project);
    return (decision, proof) =>
      proof.token === undefined ? whyNotProved(key, user, decision, proof) : whyTokenProvesNot(tokens, decision, proof);
  } catch (error) {
    log.warn({ reason: String(error) }, 'no decision can be proved here');
    return null;
  }
}
