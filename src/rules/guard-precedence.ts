import type { GuardDecision, HookAnswer } from '../contracts/hooks.js';

const ORDER: Record<GuardDecision, number> = { allow: 0, need_user_confirm: 1, deny: 2 };

/** `deny` over `need_user_confirm` over `allow`; without answers, `allow`. Source: requirements C-12, design section 7. */
export function strongestDecision(answers: readonly { decision: GuardDecision }[]): GuardDecision {
  let strongest: GuardDecision = 'allow';
  for (const { decision } of answers) if (ORDER[decision] > ORDER[strongest]) strongest = decision;
  return strongest;
}

/** The answer that ends a phase: the first deny, if there is one. */
export function firstDeny(answers: readonly HookAnswer[]): HookAnswer | undefined {
  return answers.find((answer) => answer.decision === 'deny');
}
