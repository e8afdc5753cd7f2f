import type { StepProgress, StepSummary } from '../../contracts/task.js';

/** A result lists every step, so error messages of steps are short; the error of the task is whole. */
const MAX_MESSAGE = 300;

/** The error of a step that did not succeed; none if a handler dealt with it. */
export function errorOf(entry: Pick<StepProgress, 'error' | 'status'> | undefined): Pick<StepSummary, 'error'> {
  if (!entry?.error || entry.status === 'succeeded') return {};
  const { code, message } = entry.error;
  return { error: { code, message: startOfMessage(message) } };
}

/** As much of a message as an account of a turn holds. */
export function startOfMessage(message: string): string {
  return message.slice(0, MAX_MESSAGE);
}

/** How long a step took, in milliseconds; null while that is not known. */
export function durationOf({ started_at, finished_at, duration_ms }: StepProgress): number | null {
  if (duration_ms !== undefined) return duration_ms;
  return started_at && finished_at ? Date.parse(finished_at) - Date.parse(started_at) : null;
}

/** Whether an entry is about taking a call back. */
export function isUndo(path: string): boolean {
  return path.endsWith('.undo');
}

/**
 * Whether a step failed by itself, not because one inside it did.
 *
 * Problems are located where they arise; that of a called task has a path within that task.
 */
export function isOrigin(path: string, { child, error }: StepProgress): boolean {
  if (child !== undefined) return true;
  const details = error?.details;
  return details !== null && typeof details === 'object' && 'path' in details && details.path === path;
}
