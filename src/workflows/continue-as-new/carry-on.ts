import type { HookAnswer } from '../../contracts/hooks.js';
import type { Plan } from '../../contracts/plan.js';
import { isStepEnd } from '../../contracts/states.js';
import type { Carried, Progress, StepProgress, TaskStart } from '../../contracts/task.js';
import { isInTurn, nameOfStep } from '../../rules/steps/step-tree.js';
import { stepsRead } from '../../rules/steps/steps-read.js';
import { defined } from '../../text/defined.js';
import { durationOf } from '../steps/step-notes.js';
import type { TaskRun } from '../task/task-run.js';

/** Start arguments of a task's next run. */
export function carryOn(run: TaskRun): TaskStart {
  const { task, life, steps, calls, lock, files, held } = run;
  const answers = keepAnswers(run.hooks.list);
  const warnings = keepWarnings(run.warnings.now());
  const left = { answers: run.hooks.leftOut + answers.left, warnings: run.warnings.leftOut + warnings.left };
  const made = calls.carry();
  const carried: Carried = {
    started_at: life.startedAt ?? task.createdAt,
    ...run.approvals.carry(),
    hooks: answers.kept,
    signals: steps.signals,
    used_ms: run.budget.spent(),
    calls: calls.count,
    sequence: steps.sequence,
    paused: life.paused,
    ...(!task.plan.agent && run.agent && { agents: run.agent }),
    ...defined({ turn: lock.turn, slot: lock.slot, handling: life.handling, made }),
    ...(steps.inTurns.count > 0 && { steps_in_turns: steps.inTurns.count }),
    ...((left.answers > 0 || left.warnings > 0) && { left }),
    ...(files.listed.length > 0 && { files: files.listed }),
    ...(run.rollbacks.length > 0 && { rollbacks: run.rollbacks }),
    ...(held.queue !== undefined && { held: held.queue }),
  };
  const progress = trim(steps.progress, task.plan);
  const { hooks: _, ...start } = task.start;
  const again = { input: run.input.value, run: true, created_at: task.createdAt };
  return { ...start, ...again, warnings: warnings.kept, progress, carried };
}

function trim(progress: Progress, plan: Plan): Progress {
  const ids = plan.ability.kind === 'operation' ? undefined : stepsRead(plan);
  const read = ids && new Set([...ids].map(nameOfStep));
  const isRead = (path: string): boolean => read === undefined || path.split('/').some((id) => read.has(id));
  return Object.fromEntries(
    Object.entries(progress).map(([path, entry]) => [path, trimmed(entry, isRead(path), isInTurn(path))]),
  );
}

/** Removes what only the current run needs, once the step has ended. */
function trimmed(entry: StepProgress, isRead: boolean, isTurn: boolean): StepProgress {
  const { started_at, finished_at, output, files, items: done, last, failed: _, begun: __, made: ___, ...rest } = entry;
  // A successful loop has its output; a failed one may be retried from where it stopped.
  const needed = done && entry.status !== 'succeeded';
  const items = needed ? { items: isRead ? done : mapValues(done, () => null), ...(last && { last }) } : {};
  if (!isStepEnd(entry.status)) return { ...entry, ...items };
  const duration = durationOf(entry);
  // A loop step's wall time needs the times of its turns, most of which are no longer kept.
  const moments = isTurn && started_at && finished_at ? { started_at, finished_at } : undefined;
  return {
    ...rest,
    ...items,
    ...(isRead && output !== undefined && output !== null && { output }),
    ...(isRead && files && { files }),
    ...(moments ?? (duration !== null && { duration_ms: duration })),
  };
}

function mapValues<From, To>(map: Record<string, From>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}

/** What is carried to the task's next run; `left` is the number of dropped items. */
interface Kept<T> {
  kept: T[];
  left: number;
}

/** Maximum number of carried answers that allow a call without a warning. */
const MAX_SILENT = 200;
/** Characters of JSON; a loop with a warning hook could otherwise carry a megabyte. */
const MAX_ANSWERS = 96 * 1024;
const MAX_WARNINGS = 64 * 1024;

/** Keeps denials, confirmations and errors, then warnings, the first of each; then the latest that allow. */
export function keepAnswers(answers: readonly HookAnswer[]): Kept<HookAnswer> {
  const grave = answers.filter(isGrave);
  const warning = answers.filter((answer) => !isGrave(answer) && !isSilent(answer));
  const silent = answers.filter(isSilent).slice(-MAX_SILENT).toReversed();
  return within(MAX_ANSWERS, answers, [...grave, ...warning, ...silent]);
}

/** Without repetitions; unknown outcomes have priority. */
export function keepWarnings(warnings: readonly string[]): Kept<string> {
  const distinct = [...new Set(warnings)];
  const isUnknown = (warning: string): boolean => warning.includes('outcome.unknown');
  const preferred = [...distinct.filter(isUnknown), ...distinct.filter((warning) => !isUnknown(warning))];
  return within(MAX_WARNINGS, distinct, preferred);
}

/** Whether an answer stopped a call, or made it wait for a confirmation. */
function isGrave({ decision, status }: HookAnswer): boolean {
  return decision !== 'allow' || status === 'error';
}

function isSilent(answer: HookAnswer): boolean {
  return !isGrave(answer) && (answer.warnings ?? []).length === 0;
}

/** Selects preferred items until the size is used up; keeps the original order. */
function within<T>(max: number, all: readonly T[], preferred: readonly T[]): Kept<T> {
  const chosen = new Set<T>();
  let room = max;
  for (const item of preferred) {
    const size = JSON.stringify(item).length;
    if (size > room) continue;
    room -= size;
    chosen.add(item);
  }
  const kept = all.filter((item) => chosen.has(item));
  return { kept, left: all.length - kept.length };
}
