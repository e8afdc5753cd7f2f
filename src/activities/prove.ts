import { Context } from '@temporalio/activity';
import type { ProveAnswer, ProveRequest } from '../contracts/activities.js';
import type { DecisionProof, ProofSource, ProvedDecision } from '../contracts/approvals.js';
import { toFailure } from './failures.js';
import type { PlanSource } from './plan-source.js';

/** What it takes to check who decides. */
export interface ProveDependencies {
  plans: PlanSource;
  /** Whether a decision is proved, and by what. Null where this worker can check none. */
  checkProof: ((decision: ProvedDecision, proof: DecisionProof) => CheckedProof) | null;
}

/** What proves a decision, or why nothing does. */
export type CheckedProof = { source: ProofSource } | { reason: string };

/** Checks the proof of a decision, or says whether one could be checked. Only a sealed task may ask. */
export function createProve({ plans, checkProof }: ProveDependencies): (request: ProveRequest) => Promise<ProveAnswer> {
  return async ({ seal, decision, proof }) => {
    try {
      await plans.admit(seal, Context.current().info);
      if (!checkProof) return { able: false };
      if (!decision) return { able: true };
      return { able: true, ...(proof ? checkProof(decision, proof) : { reason: 'it brings no proof' }) };
    } catch (error) {
      throw toFailure(error);
    }
  };
}
