import type { ProveDependencies } from '../activities/prove.js';
import { createProofKey, provableUser, readProofKey, whyNotProved } from '../server/proof-key.js';
import { log } from './logger.js';

/**
 * How the project's own runtime checks who decides: with a key that its owner alone reads.
 *
 * @returns null where there is no such key; approvals that ask for proof are refused then.
 */
export function ownProofs(path: string): ProveDependencies['checkProof'] {
  try {
    createProofKey(path);
    const key = readProofKey(path);
    const user = provableUser();
    return (decision, proof) => whyNotProved(key, user, decision, proof);
  } catch (error) {
    log.warn({ reason: String(error) }, 'no decision can be proved here');
    return null;
  }
}
