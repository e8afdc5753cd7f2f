import { Context } from '@temporalio/activity';
import type { FindUiRequest, ProveAnswer, ProveRequest } from '../contracts/activities.js';
import type { DecisionProof, ProvedDecision } from '../contracts/approvals.js';
import { toFailure } from './failures.js';
import type { PlanSource } from './plan-source.js';

/** What it takes to say where the Temporal UI is. */
export interface FindUiDependencies {
  plans: PlanSource;
  /** Address of the Temporal UI; null where it is not known. */
  ui: string | null;
}

/** Gives a task the address of the Temporal UI; null where this worker does not know it. Only a sealed task may ask. */
export function createFindUi({ plans, ui }: FindUiDependencies): (request: FindUiRequest) => Promise<string | null> {
  return async ({ seal }) => {
    try {
      await plans.admit(seal, Context.current().info);
      return ui;
    } catch (error) {
      throw toFailure(error);
    }
  };
}

/** What it takes to check who decides. */
export interface ProveDependencies {
  plans: PlanSource;
  /** Why a decision is not proved; undefined: it is. Null where this worker can check none. */
  checkProof: ((decision: ProvedDecision, proof: DecisionProof) => string | undefined) | null;
}

/** Checks the proof of a decision, or says whether one could be checked. Only a sealed task may ask. */
export function createProve({ plans, checkProof }: ProveDependencies): (request: ProveRequest) => Promise<ProveAnswer> {
  return async ({ seal, decision, proof }) => {
    try {
      await plans.admit(seal, Context.current().info);
      if (!checkProof) return { able: false };
      if (!decision) return { able: true };
      const reason = proof ? checkProof(decision, proof) : 'it brings no proof';
      return { able: true, ...(reason !== undefined && { reason }) };
    } catch (error) {
      throw toFailure(error);
    }
  };
}
