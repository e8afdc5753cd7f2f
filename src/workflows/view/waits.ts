import type { PlanStep } from '../../contracts/plan.js';
import type { StepWait } from '../../contracts/task.js';
import { findStep } from '../../rules/steps/step-tree.js';
import type { StepStates } from '../steps/step-states.js';

/** Maximum number of waits listed: a loop over thousands may wait in each of its items. */
const MAX_LISTED = 50;

/**
 * Reasons for which the steps of a task wait now, for views of the task; not in the history.
 * @param dueAt until when the task itself waits.
 */
export function waitsOf({ progress, task, backingOff }: StepStates, dueAt?: string): { waits?: StepWait[] } {
  const waits: StepWait[] = dueAt === undefined ? [] : [{ path: 'run', for: 'time', until: dueAt }];
  for (const [path, { status, deadline }] of Object.entries(progress)) {
    if (waits.length === MAX_LISTED) break;
    const step = status === 'waiting' ? findStep(task.plan, path) : undefined;
    const wait = step && waitOf(step);
    if (wait) waits.push({ path, ...wait, ...(deadline !== undefined && { until: deadline }) });
  }
  for (const [path, { attempt, at, why }] of backingOff) {
    waits.push({ path, for: 'attempt', what: why, attempt, until: new Date(at).toISOString() });
  }
  return waits.length === 0 ? {} : { waits };
}

function waitOf(step: PlanStep): Pick<StepWait, 'for' | 'what' | 'condition'> | undefined {
  if (step.verb === 'repeat') return { for: 'turn' };
  if (step.verb !== 'wait') return undefined;
  const { wait } = step;
  if ('signal' in wait) {
    return { for: 'signal', what: wait.signal, ...(wait.if !== undefined && { condition: wait.if }) };
  }
  return 'until' in wait ? { for: 'condition', what: wait.until } : { for: 'time' };
}
