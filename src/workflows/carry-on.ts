import type { HookAnswer } from '../contracts/hooks.js';
import type { Plan } from '../contracts/plan.js';
import { isStepEnd } from '../contracts/states.js';
import type { Carried, Progress, StepProgress, TaskStart } from '../contracts/task.js';
import { stepsRead } from '../rules/steps-read.js';
import { durationOf } from './summary.js';
import type { TaskRun } from './task-run.js';

/** Of answers that let everything pass, so many are taken along. */
const MOST_ANSWERS = 200;

/**
 * What the next run of a task begins with: the progress so far with the outputs that later expressions read, and all
 * that is under way. Source: design, section 6, "many steps".
 */
export function carryOn(run: TaskRun): TaskStart {
  const hooks = withoutMost(run.hooks);
  const left = run.hooks.length - hooks.length;
  const warnings = [...new Set(run.warnings)];
  if (left > 0) warnings.push(`${left} answers of hooks that let calls pass are left out`);
  const carried: Carried = {
    created_at: run.createdAt,
    started_at: run.startedAt ?? run.createdAt,
    approvals: run.approvals,
    hooks,
    signals: run.signals,
    used_ms: run.budget.spent(),
    calls: run.calls,
    sequence: run.sequence,
    paused: run.paused,
    ...(run.turn && { turn: run.turn }),
  };
  const progress = trim(run.progress, run.plan);
  const { hooks: _, ...start } = run.start;
  return { ...start, input: run.input, run: true, warnings, progress, carried };
}

function trim(progress: Progress, plan: Plan): Progress {
  const read = plan.ability.kind === 'operation' ? undefined : stepsRead(plan);
  const isRead = (path: string): boolean => read === undefined || path.split('/').some((id) => read.has(id));
  return Object.fromEntries(Object.entries(progress).map(([path, entry]) => [path, trimmed(entry, isRead(path))]));
}

/** An entry whose step has ended, without what only its own run needed. */
function trimmed(entry: StepProgress, isRead: boolean): StepProgress {
  const { started_at: _, finished_at: __, output, ...rest } = entry;
  const items = entry.items && !isRead ? { items: mapValues(entry.items, () => null) } : {};
  if (!isStepEnd(entry.status)) return { ...entry, ...items };
  const duration = durationOf(entry);
  return {
    ...rest,
    ...items,
    ...(isRead && output !== undefined && output !== null && { output }),
    ...(duration !== null && { duration_ms: duration }),
  };
}

function mapValues<From, To>(map: Record<string, From>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}

function withoutMost(answers: readonly HookAnswer[]): HookAnswer[] {
  const silent = (answer: HookAnswer): boolean =>
    answer.decision === 'allow' && answer.status !== 'error' && !answer.warnings?.length;
  let left = Math.max(0, answers.filter(silent).length - MOST_ANSWERS);
  return answers.filter((answer) => {
    if (left === 0 || !silent(answer)) return true;
    left -= 1;
    return false;
  });
}
