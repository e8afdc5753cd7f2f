import type { FindUiRequest, ProveAnswer, ProveRequest } from '../../contracts/activities.js';
import { activityOf } from '../activity.js';
import type { ActivityDependencies } from '../dependencies.js';

/** Gives a task the address of the Temporal UI; null where this worker does not know it. Only a sealed task may ask. */
export function createFindUi({ plans, ui }: Pick<ActivityDependencies, 'plans' | 'ui'>) {
  return activityOf(async ({ seal }: FindUiRequest, { info }): Promise<string | null> => {
    await plans.admit(seal, info);
    return ui;
  });
}

/** Checks the proof of a decision, or says whether one could be checked. Only a sealed task may ask. */
export function createProve({ plans, checkProof }: Pick<ActivityDependencies, 'plans' | 'checkProof'>) {
  return activityOf(async ({ seal, decision, proof }: ProveRequest, { info }): Promise<ProveAnswer> => {
    await plans.admit(seal, info);
    if (!checkProof) return { able: false };
    if (!decision) return { able: true };
    const reason = proof ? checkProof(decision, proof) : 'it brings no proof';
    return { able: true, ...(reason !== undefined && { reason }) };
  });
}
