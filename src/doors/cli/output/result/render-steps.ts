import type { ItemFailure } from '../../../../contracts/loops.js';
import { isStepEnd } from '../../../../contracts/states.js';
import type { StepSummary, TaskResult } from '../../../../contracts/task.js';
import { formatDuration } from '../../../../rules/duration.js';
import { describeEnd, describeTurnsInLine, nameOf } from '../../../../rules/steps/describe-items.js';
import { isOfExpansion } from '../../../../rules/steps/turn-paths.js';
import type { Style } from '../terminal/terminal.js';

/** The maximum number of failures on the line of a loop. */
const MAX_FAILURES = 3;

const MARKS: Record<StepSummary['status'], { mark: string; color: Parameters<Style>[0] }> = {
  pending: { mark: '·', color: 'dim' },
  running: { mark: '▸', color: 'cyan' },
  waiting: { mark: '?', color: 'yellow' },
  succeeded: { mark: '✓', color: 'green' },
  failed: { mark: '✗', color: 'red' },
  skipped: { mark: '-', color: 'dim' },
  denied: { mark: '✗', color: 'red' },
  timed_out: { mark: '✗', color: 'red' },
  cancelled: { mark: '✗', color: 'yellow' },
  unknown: { mark: '!', color: 'red' },
};

export function markOf(status: StepSummary['status'], style: Style): string {
  const { mark, color } = MARKS[status];
  return style(color, mark);
}

/** One aligned line per step, except for steps that an expansion generated. */
export function renderSteps(result: TaskResult, style: Style): string[] {
  const steps = result.steps.filter(({ id }) => !isOfExpansion(id));
  const width = Math.max(4, ...steps.map(({ path }) => path.length));
  const calls = Math.max(0, ...steps.map(({ call }) => call?.length ?? 0));
  return steps.map((step) => {
    const { mark, color } = MARKS[step.status];
    const time = tookOf(step);
    const attempts = attemptsOf(step);
    const call = (step.call ?? '').padEnd(calls);
    const text = `${step.path.padEnd(width)}  ${style('dim', call)}  ${style(color, step.status.padEnd(9))} ${time}${attempts}`;
    return `  ${style(color, mark)} ${text.trimEnd()}`;
  });
}

/** Empty for skipped steps and for calls denied by guards, which were not made. */
export function tookOf({ status, duration_ms, call, attempts }: StepSummary): string {
  const isMade = status !== 'skipped' && !(status === 'denied' && call !== null && attempts === 0);
  return duration_ms === null || !isMade ? '' : formatDuration(duration_ms);
}

function attemptsOf(step: StepSummary): string {
  const described = describeTurnsInLine(step, MAX_FAILURES);
  if (described !== undefined) return `  ${described}`;
  return step.attempts > 1 && step.turns === undefined ? ` (attempt ${step.attempts})` : '';
}

/** One line for a step that has changed, where nothing can be redrawn. */
export function renderChange(step: StepSummary): string {
  const took = tookOf(step);
  const time = took === '' ? '' : ` ${took}`;
  const described = step.items && isStepEnd(step.status) ? describeTurnsInLine(step, MAX_FAILURES) : undefined;
  return `  ${step.path} ${step.status}${time}${described === undefined ? attemptsOf(step) : `  ${described}`}`;
}

/** One line for a turn that did not succeed, where nothing can be redrawn. */
export function renderItemFailure(step: StepSummary, failure: ItemFailure): string {
  return `  ${step.path} ${nameOf(failure, step)} ${failure.status}${describeEnd(failure)}`;
}
