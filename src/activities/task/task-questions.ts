import type { FindUiRequest, ProveAnswer, ProveRequest } from '../../contracts/activities.js';
import type { ActivityDependencies } from '../dependencies.js';
import { activityOf } from '../failures.js';

/** Returns the address of the Temporal UI, or null if unknown. Only a sealed task may request it. */
export function createFindUi({ plans, ui }: Pick<ActivityDependencies, 'plans' | 'ui'>) {
  return activityOf(async ({ seal }: FindUiRequest, { info }): Promise<string | null> => {
    await plans.admit(seal, info);
    return ui;
  });
}

/** Checks the proof of a decision, or whether proofs can be checked. Only for sealed tasks. */
export function createProve({ plans, checkProof }: Pick<ActivityDependencies, 'plans' | 'checkProof'>) {
  return activityOf(async ({ seal, decision, proof }: ProveRequest, { info }): Promise<ProveAnswer> => {
    await plans.admit(seal, info);
    if (!checkProof) return { able: false };
    if (!decision) return { able: true };
    const reason = proof ? checkProof(decision, proof) : 'it brings no proof';
    return { able: true, ...(reason !== undefined && { reason }) };
  });
}
