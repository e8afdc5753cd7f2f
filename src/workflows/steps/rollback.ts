import type { Problem } from '../../contracts/problem.js';
import type { NotUndone, Progress, Rollback, RolledBack, StepProgress } from '../../contracts/task.js';
import { isUndo, startOfMessage } from './step-notes.js';

/** Number of calls listed that were not undone, so that a result stays small; the others are warnings. */
const MAX_LISTED = 100;

/** What an ended task has undone, by itself and in those that it called; empty if nothing was to be. */
export function rollbackOf(progress: Progress, ofCalled: readonly Rollback[]): Rollback {
  const due = Object.entries(progress).filter(([path]) => isUndo(path));
  const own = due.flatMap(([path, entry]) => (entry.status === 'succeeded' ? [] : [notUndone(path, entry)]));
  const left = [...own, ...ofCalled.flatMap(({ not_undone = [] }) => not_undone)];
  const wasUndone =
    own.length < due.length || ofCalled.some(({ rolled_back: how }) => how === 'complete' || how === 'partial');
  if (left.length === 0) return wasUndone ? { rolled_back: 'complete' } : {};
  const how: RolledBack = wasUndone ? 'partial' : 'none';
  return { rolled_back: how, not_undone: left.slice(0, MAX_LISTED) };
}

function notUndone(path: string, { call = '', status, error }: StepProgress): NotUndone {
  const { code, message } = error ?? { code: 'internal.error', message: 'Why is not known' };
  return { path: path.slice(0, -'.undo'.length), call, status, error: { code, message: startOfMessage(message) } };
}

/** The error of a task that could not be undone as a whole; its own one, unless an outcome is unknown. */
export function errorOfRollback(error: Problem | null, left: readonly NotUndone[]): Problem {
  const unknown = left.find(({ status }) => status === 'unknown');
  if (error?.code === 'outcome.unknown' || (error && !unknown)) return error;
  const names = left.map(({ path }) => path).join(', ');
  if (!unknown) return { code: 'task.not_undone', message: `The task was cancelled, and not undone: ${names}` };
  const before = error ? `; the task had failed before with ${error.code}: ${error.message}` : '';
  return {
    code: 'outcome.unknown',
    message: `Whether ${unknown.call} undid ${unknown.path} could not be determined${before}`,
    suggestion: 'Check by hand what is left, and say it to `ability task retry`: --stands STEP or --undone STEP.',
    details: { path: `${unknown.path}.undo`, not_undone: names, ...(error && { cause: { ...error } }) },
  };
}
