import type { Plan } from '../../contracts/plan.js';
import { sha256Of } from '../canonical.js';
import { findStep, type StepTree } from '../steps/step-tree.js';

/**
 * Ids are derived from a task's identity, so that workers know them after a restart without any history. A seal's
 * mark identifies one creation of a task, including its called tasks.
 */

/** 32 hex digits, for a task that came without a trace. @param mark of its seal. */
export function traceIdOf(mark: string): string {
  return hash('trace', mark).slice(0, 32);
}

/** 16 hex digits. @param task its workflow id. */
export function taskSpanId(mark: string, task: string): string {
  return hash('task', mark, task).slice(0, 16);
}

/** 16 hex digits. A called task's workflow id is `<task>/<instance>` of the step that calls it. */
export function stepSpanId(mark: string, task: string, instance: string): string {
  return hash('step', mark, `${task}/${instance}`).slice(0, 16);
}

/** The span of a step that calls a task. @param child workflow id of that task. */
export function callingSpanId(mark: string, child: string): string {
  return hash('step', mark, child).slice(0, 16);
}

/** 16 hex digits. @param attempt distinguishes it from the task's other attempts. */
export function attemptSpanId(mark: string, task: string, attempt: string): string {
  return hash('attempt', mark, `${task}/${attempt}`).slice(0, 16);
}

/** A step's path, with the attempts of the retried groups around it, unless all are the first. */
export function stepInstanceOf(path: string, groups: readonly number[]): string {
  return groups.some((attempt) => attempt > 1) ? `${path}~${groups.join('.')}` : path;
}

/**
 * The step a hook fires for, or the outermost retried group around it, whose attempts the hook does not know.
 * @param path of the step; empty: the task. @returns undefined for the task.
 */
export function hookInstanceOf(plan: StepTree & Pick<Plan, 'ability'>, path: string): string | undefined {
  if (path === '' || (plan.ability.kind === 'operation' && path === 'run')) return undefined;
  const parts = path.split('/');
  for (let length = 1; length < parts.length; length += 1) {
    const around = parts.slice(0, length).join('/');
    const step = findStep(plan, around);
    if (step?.verb === 'steps' && step.retry) return around;
  }
  return path;
}

function hash(...parts: string[]): string {
  return sha256Of(`ability\n${parts.join('\n')}`);
}
