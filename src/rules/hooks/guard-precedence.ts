import type { GuardDecision, HookAnswer, Phase } from '../../contracts/hooks.js';

/** Decisions of a guard, from the strictest to the mildest. Source: requirements, C-12. */
export const DECISIONS: readonly GuardDecision[] = ['deny', 'need_user_confirm', 'allow'];

/** The answer that ends a phase: the first deny, if there is one. */
export function firstDeny(answers: readonly HookAnswer[]): HookAnswer | undefined {
  return answers.find((answer) => answer.decision === 'deny');
}

/** The strictest decision about one subject; undefined if there is none. */
export function gravestOf(decisions: readonly GuardDecision[]): GuardDecision | undefined {
  return DECISIONS.find((decision) => decisions.includes(decision));
}

/** Whether the hooks of a phase decide: there an answer that is missing or cannot be read refuses. Source: C-08, C-11. */
export function isGuardPhase(phase: Phase): boolean {
  return phase === 'PreAbilityCreate' || phase === 'PreAbilityCall' || phase === 'SessionStart';
}

/** Whether the event of a phase is over, so that its hooks serve the infrastructure alone. Source: R-002-25. */
export function isOverPhase(phase: Phase): boolean {
  return phase === 'PostAbilityCall' || phase === 'SessionStop';
}
