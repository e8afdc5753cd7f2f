import type { JSX } from 'preact';
import { isStepEnd } from '../../contracts/states.js';
import type { StepSummary } from '../../contracts/task.js';
import type { SeenNow } from '../../operations/watch-task.js';
import { generalPath } from '../../rules/steps/step-tree.js';
import { taskPath } from '../address.js';
import { t } from '../texts/text.js';
import { State } from './parts.js';

/** The called tasks that run, by the path of the step that called them. */
export type Called = Record<string, SeenNow>;

/** How many of the turns of a loop are shown. */
const MAX_SHOWN = 10;

/** The tasks that a step has called: as they stand while they run, with links to their own pages. */
export function CalledTasks({ step, called }: { step: StepSummary; called: Called }): JSX.Element | null {
  const running = runningOf(step, called);
  if (running.length === 0) return step.task === undefined ? null : <a href={taskPath(step.task)}>{step.task}</a>;
  return (
    <ul class="called">
      {running.slice(0, MAX_SHOWN).map(({ task_key, status, steps }) => (
        <li key={task_key}>
          <a href={taskPath(task_key ?? '')}>{task_key}</a> <State state={status} /> {countOf(steps)}{' '}
          <span class="quiet">{atWork(steps)}</span>
        </li>
      ))}
      {running.length > MAX_SHOWN && <li>{t('more.count', { count: running.length - MAX_SHOWN })}</li>}
    </ul>
  );
}

/** The steps that are under way. */
function atWork(steps: readonly StepSummary[]): string {
  const under = steps.filter(({ status }) => !isStepEnd(status) && status !== 'pending');
  return under.map(({ path }) => path).join(', ');
}

/** Such as `3/7`, or how many tasks run; null if none does. */
export function calledCount(step: StepSummary, called: Called): string | null {
  const [first, ...others] = runningOf(step, called);
  return first ? `→ ${others.length > 0 ? others.length + 1 : countOf(first.steps)}` : null;
}

function runningOf({ path }: StepSummary, called: Called): SeenNow['view'][] {
  return Object.entries(called).flatMap(([at, { view }]) => (generalPath(at) === path ? [view] : []));
}

function countOf(steps: readonly StepSummary[]): string {
  return t('task.items', { done: steps.filter(({ status }) => isStepEnd(status)).length, total: steps.length });
}
