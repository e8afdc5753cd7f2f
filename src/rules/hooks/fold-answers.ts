import type { HookAnswer } from '../../contracts/hooks.js';
import { generalPath, isInTurn } from '../steps/turn-paths.js';

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
