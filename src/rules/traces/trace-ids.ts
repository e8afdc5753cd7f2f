import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Plan } from '../../contracts/plan.js';
import { findStep, type StepTree } from '../steps/find-step.js';

/**
 * Ids of traces and spans are derived from a task's identity, so each worker knows them, also after a restart, and no
 * history has to keep them.
 *
 * A seal identifies one creation of a task, and its called tasks share it; its mark stands for both.
 */

/** The trace of a task that came without one. @param mark of its seal. 32 hex digits. */
export function traceIdOf(mark: string): string {
  return hash('trace', mark).slice(0, 32);
}

/** The span of a task. @param task its workflow id. 16 hex digits. */
export function taskSpanId(mark: string, task: string): string {
  return hash('task', mark, task).slice(0, 16);
}

/** The span of a step. The workflow id of a called task is `<task>/<spot>` of the step that calls it. 16 hex digits. */
export function stepSpanId(mark: string, task: string, spot: string): string {
  return hash('step', mark, `${task}/${spot}`).slice(0, 16);
}

/** The span of a step that calls a task. @param child workflow id of that task. */
export function callingSpanId(mark: string, child: string): string {
  return hash('step', mark, child).slice(0, 16);
}

/** The span of one attempt of a call. @param attempt distinguishes it from all others of the task. */
export function attemptSpanId(mark: string, task: string, attempt: string): string {
  return hash('attempt', mark, `${task}/${attempt}`).slice(0, 16);
}

/** Where a step is in its task: its path, and which attempts of the retried groups around it, unless all are the first. */
export function spotOf(path: string, groups: readonly number[]): string {
  return groups.some((attempt) => attempt > 1) ? `${path}~${groups.join('.')}` : path;
}

/**
 * Identifies the parent of a hook's span: the step it fires for, or the outermost retried group around that, whose
 * attempts a hook does not know.
 *
 * @param path of the step; empty: the task. @returns undefined for the task.
 */
export function spotOfHook(plan: StepTree & Pick<Plan, 'ability'>, path: string): string | undefined {
  if (path === '' || (plan.ability.kind === 'operation' && path === 'run')) return undefined;
  const parts = path.split('/');
  for (let length = 1; length < parts.length; length += 1) {
    const around = parts.slice(0, length).join('/');
    const step = /^\d+$/.test(parts[length - 1] ?? '') ? undefined : findStep(plan, around);
    if (step?.verb === 'steps' && step.retry) return around;
  }
  return path;
}

function hash(...parts: string[]): string {
  return bytesToHex(sha256(utf8ToBytes(`ability\n${parts.join('\n')}`)));
}
