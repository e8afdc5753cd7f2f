import type { HookAnswer } from '../../contracts/hooks.js';
import { mergeSignals } from '../../rules/merge-signals.js';
import { keepSignals } from '../session/keep-signals.js';

/** Whose guards were asked. */
export interface GuardedTask {
  task: string;
  session: string | null;
  /** The folder of the project that it is about; absent: not known, and nothing is written. */
  scope?: string;
}

/**
 * Writes what guards of a task signal, and nobody here knows, into the documents of its scope, as those of prompts.
 *
 * @param root absolute path of the project. @returns the answers; what could not be written is a warning of the first. Source: R-002-47.
 */
export function keepUnknown(
  root: string,
  { task, session, scope }: GuardedTask,
  answers: readonly HookAnswer[],
  moment: number,
): HookAnswer[] {
  const { unknown } = mergeSignals(answers, [], new Date(moment).toISOString());
  if (scope === undefined || unknown.length === 0) return [...answers];
  try {
    keepSignals(root, scope, session ?? task, unknown);
    return [...answers];
  } catch (error) {
    const warning = `Unknown signals were not written: ${error instanceof Error ? error.message : String(error)}`;
    return answers.map((answer, at) => {
      return at === 0 ? { ...answer, warnings: [...(answer.warnings ?? []), warning] } : answer;
    });
  }
}
