import type { HookAnswer } from '../contracts/hooks.js';

/** The answer that ends a phase: the first deny, if there is one. */
export function firstDeny(answers: readonly HookAnswer[]): HookAnswer | undefined {
  return answers.find((answer) => answer.decision === 'deny');
}
