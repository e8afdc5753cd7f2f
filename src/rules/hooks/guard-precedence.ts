import type { GuardDecision, HookAnswer, Phase } from '../../contracts/hooks.js';

/** Decisions of a guard, from the strictest to the mildest. Source: requirements, C-12. */
export const DECISIONS: readonly GuardDecision[] = ['deny', 'need_user_confirm', 'allow'];

/** The answer that ends a phase: the first deny, if there is one. */
export function firstDeny(answers: readonly HookAnswer[]): HookAnswer | undefined {
  return answers.find((answer) => answer.decision === 'deny');
}

export function strictestOf(decisions: readonly GuardDecision[]): GuardDecision | undefined {
  return DECISIONS.find((decision) => decisions.includes(decision));
}

/** Whether the hooks of a phase decide, so that a missing or unreadable answer denies. Source: C-08, C-11. */
export function isGuardPhase(phase: Phase): boolean {
  return phase === 'PreAbilityCreate' || phase === 'PreAbilityCall' || phase === 'SessionStart';
}

/** Whether a phase follows its event, so that its hooks cannot prevent it. Source: R-002-25. */
export function isOverPhase(phase: Phase): boolean {
  return phase === 'PostAbilityCall' || phase === 'SessionStop';
}
