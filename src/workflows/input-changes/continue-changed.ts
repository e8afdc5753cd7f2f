import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { isCancellation, makeContinueAsNewFunc, workflowInfo } from '@temporalio/workflow';
import type { ModifyAnswer, RecordChangeAnswer, RecordChangeRequest } from '../../contracts/activities.js';
import { ACTIVITIES, taskQueueOf } from '../../contracts/names.js';
import type { TaskArguments, TaskStart } from '../../contracts/task.js';
import { nextArguments } from '../../rules/tasks/task-arguments.js';
import { localActivity, untilKeyed } from '../calls/local-activities.js';
import { messageOf } from '../steps/step-failure.js';
import type { TaskRun } from '../task/task-run.js';

type Task = (...args: TaskArguments) => Promise<never>;

const STATUS = defineSearchAttributeKey('AbilityStatus', SearchAttributeType.KEYWORD);
/** Enough to answer repeated updates: the server delivers an update to the next run at once or never. */
const MAX_APPLIED = 100;

/** Puts new plan, seal and input into a run's first event, where activities expect them. Source: C-37. */
export function continueChanged(run: TaskRun, next: ModifyAnswer): Promise<never> {
  const { memo, typedSearchAttributes } = workflowInfo();
  const { project, environment, placement } = next.plan;
  const last = run.input.changes.at(-1);
  const goOn = makeContinueAsNewFunc<Task>({
    // The definitions may have changed the task's placement since.
    taskQueue: taskQueueOf(project, environment.name, placement),
    memo: { ...memo, ...(last && { changed: { by: last.by.name, at: last.at } }) },
    typedSearchAttributes: typedSearchAttributes.updateCopy([
      { key: STATUS, value: run.life.runRequested ? 'running' : 'created' },
    ]),
  });
  return goOn(...nextArguments(startOf(run, next)));
}

function startOf(run: TaskRun, { plan, seal, input, warnings, hooks }: ModifyAnswer): TaskStart {
  const { start, createdAt } = run.task;
  const { changes, left, applied } = run.input;
  const { hooks: _, ...kept } = start;
  const own = run.warnings.list.filter((warning) => !start.warnings.includes(warning));
  return {
    ...kept,
    plan,
    seal,
    input,
    run: run.life.runRequested,
    warnings: [...new Set([...warnings, ...own])],
    ...(hooks.length > 0 && { hooks }),
    created_at: createdAt,
    changed: {
      changes,
      ...(left.count > 0 && { left }),
      applied: applied.slice(-MAX_APPLIED),
      signals: run.steps.signals,
      paused: run.life.paused,
    },
  };
}

/** A failed write becomes a warning. */
export async function recordChange({ task, input, warnings }: TaskRun): Promise<void> {
  const record = localActivity<RecordChangeRequest, RecordChangeAnswer>(ACTIVITIES.recordChange);
  const { value, changes, left } = input;
  const rest = { changes, ...(left.count > 0 && { changes_left: left.count }), warnings: warnings.list };
  const request = { ...task.context, input: value, created_at: task.createdAt, ...rest };
  try {
    const answer = await untilKeyed(() => record(request));
    warnings.add(...answer.warnings);
  } catch (error) {
    if (isCancellation(error)) throw error;
    warnings.add(`record.write_failed: ${messageOf(error)}`);
  }
}
