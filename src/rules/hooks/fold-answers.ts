import type { GuardDecision, HookAnswer, Phase } from '../../contracts/hooks.js';
import { generalPath, isInTurn } from '../steps/step-tree.js';

/** An answer with the number of loop turns that gave it; 1 outside loops. */
export interface FoldedAnswer {
  answer: HookAnswer;
  times: number;
}

/** Maximum number of distinct answers in loops; others are only counted. */
const MAX_IN_LOOPS = 100;

/**
 * Folds equal answers from several turns of a loop into one, at a path with `*`.
 * @returns those to list, in order of first occurrence, and the number of loop answers left out.
 */
export function foldAnswers(answers: readonly HookAnswer[]): { folded: FoldedAnswer[]; left: number } {
  const folded: FoldedAnswer[] = [];
  const known = new Map<string, FoldedAnswer>();
  let left = 0;
  for (const answer of answers) {
    if (!isInTurn(answer.path)) {
      folded.push({ answer, times: 1 });
      continue;
    }
    const { duration_ms: _, ...said } = { ...answer, path: generalPath(answer.path) };
    const key = JSON.stringify(said);
    const same = known.get(key);
    if (same) same.times += 1;
    else if (known.size >= MAX_IN_LOOPS) left += 1;
    else {
      const first = { answer: said, times: 1 };
      known.set(key, first);
      folded.push(first);
    }
  }
  return { folded, left };
}

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
