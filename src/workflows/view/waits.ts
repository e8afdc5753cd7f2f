import type { PlanStep } from '../../contracts/plan.js';
import type { StepWait } from '../../contracts/task.js';
import { findStep } from '../../rules/find-step.js';
import type { TaskRun } from '../task/task-run.js';

/** So many waits are told: a loop over thousands may wait in each of its items. */
const MOST_TOLD = 50;

/** What the steps of a task wait for now, for whoever asks how it stands; nothing of it is in the history. */
export function waitsOf({ progress, plan, backingOff }: TaskRun): { waits?: StepWait[] } {
  const waits: StepWait[] = [];
  for (const [path, { status, deadline }] of Object.entries(progress)) {
    if (waits.length === MOST_TOLD) break;
    const step = status === 'waiting' ? findStep(plan, path) : undefined;
    const wait = step && waitOf(step);
    if (wait) waits.push({ path, ...wait, ...(deadline !== undefined && { until: deadline }) });
  }
  for (const [path, { attempt, at }] of backingOff) {
    waits.push({ path, for: 'attempt', attempt, until: new Date(at).toISOString() });
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
