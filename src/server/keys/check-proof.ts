import type { DecisionProof, ProvedDecision, ProvedStart, StartProof } from '../../contracts/approvals.js';
import type { ProjectPaths } from '../project-paths.js';
import { type DoorKeys, ownDoorKeys, whyDoorProvesNot } from './door-key.js';
import { createProofKey, provableUser, readProofKey, whyNotProved } from './proof-key.js';
import { TokenFolder } from './tokens/token-folder.js';
import { whyTokenProvesNot } from './tokens/token-proof.js';

/** Why a decision, or a start, is not proved; undefined if it is. */
export type ProofCheck = (act: ProvedDecision | ProvedStart, proof: DecisionProof | StartProof) => string | undefined;

/** A worker of a shared server knows the doors that ability.yaml names; null: none, so that it can check nothing. */
export function sharedProofs(project: string, doors: DoorKeys): ProofCheck | null {
  if (Object.keys(doors).length === 0) return null;
  return (act, proof) =>
    'door' in proof
      ? whyDoorProvesNot(doors, project, act, proof)
      : "it is proved by a key of this project's own runtime, which this worker does not have";
}

/**
 * A worker of the project's own runtime: the owner proves by key, others by tokens or through a door. @throws AbilityError
 * `approval.unproved` if the key cannot be used.
 */
export function ownProofs(
  { proofKey, doorKey, tokens: folder }: Pick<ProjectPaths, 'proofKey' | 'doorKey' | 'tokens'>,
  project: string,
): (doors: DoorKeys) => ProofCheck {
  createProofKey(proofKey);
  const key = readProofKey(proofKey);
  const user = provableUser();
  const tokens = new TokenFolder(folder, project);
  return (doors) => (act, proof) => {
    if ('door' in proof) return whyDoorProvesNot({ ...doors, ...ownDoorKeys(doorKey) }, project, act, proof);
    if ('task' in act) return 'only a door can prove who starts a task';
    return proof.token === undefined ? whyNotProved(key, user, act, proof) : whyTokenProvesNot(tokens, act, proof);
  };
}
