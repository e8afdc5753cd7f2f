import type { StepProgress, StepSummary } from '../../contracts/task.js';

/** Short, since a result lists every step; the error of the task keeps its whole message. */
const MAX_MESSAGE = 300;

/** Empty if a handler handled the error. */
export function errorOf(entry: Pick<StepProgress, 'error' | 'status'> | undefined): Pick<StepSummary, 'error'> {
  if (!entry?.error || entry.status === 'succeeded') return {};
  const { code, message } = entry.error;
  return { error: { code, message: startOfMessage(message) } };
}

export function startOfMessage(message: string): string {
  return message.slice(0, MAX_MESSAGE);
}

/** In milliseconds; null if unknown. */
export function durationOf({ started_at, finished_at, duration_ms }: StepProgress): number | null {
  if (duration_ms !== undefined) return duration_ms;
  return started_at && finished_at ? Date.parse(finished_at) - Date.parse(started_at) : null;
}

/** Whether an entry belongs to an undo call. */
export function isUndo(path: string): boolean {
  return path.endsWith('.undo');
}

/** Whether an entry belongs to a call beside that of a step: one that undoes it, or asks what became of it. */
export function isBeside(path: string): boolean {
  return isUndo(path) || path.endsWith('.unknown');
}

/**
 * Whether a step failed by itself, not because one inside it did: a problem has the path where it arose; that of a
 * called task has a path within that task.
 */
export function isOrigin(path: string, { child, error }: StepProgress): boolean {
  if (child !== undefined) return true;
  const details = error?.details;
  return details !== null && typeof details === 'object' && 'path' in details && details.path === path;
}
