import type { ProveDependencies } from '../activities/prove.js';
import { createProofKey, provableUser, readProofKey, whyNotProved } from '../server/keys/proof-key.js';
import { TokenFolder } from '../server/keys/tokens/token-folder.js';
import { whyTokenProvesNot } from '../server/keys/tokens/token-proof.js';
import type { ProjectPaths } from '../server/project-paths.js';
import { log } from './logger.js';

/**
 * How the project's own runtime checks who decides: its owner by a key that its owner alone reads, others by their tokens.
 *
 * @returns null where there is no such key; approvals that ask for proof are refused then.
 */
export function ownProofs(
  { proofKey, tokens: folder }: Pick<ProjectPaths, 'proofKey' | 'tokens'>,
  project: string,
): ProveDependencies['checkProof'] {
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
