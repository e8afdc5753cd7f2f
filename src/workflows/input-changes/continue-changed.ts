import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { isCancellation, makeContinueAsNewFunc, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { ModifyAnswer, RecordChangeAnswer, RecordChangeRequest } from '../../contracts/activities.js';
import { ACTIVITIES, taskQueueMoved } from '../../contracts/names.js';
import type { TaskStart } from '../../contracts/task.js';
import { hasTools, planDigest } from '../../rules/plan-digest.js';
import { packArguments, type TaskArguments } from '../../rules/task-arguments.js';
import { untilKeyed } from '../calls/ask-worker.js';
import type { TaskRun } from '../task/task-run.js';

type RecordChange = (request: RecordChangeRequest) => Promise<RecordChangeAnswer>;
type Task = (...args: TaskArguments) => Promise<never>;

const STATUS = defineSearchAttributeKey('AbilityStatus', SearchAttributeType.KEYWORD);
/** The server brings an update to the next run at once, or not at all. */
const MOST_APPLIED = 100;

/**
 * Goes on as a new run with another plan, seal and input, all from a preflight that this task asked for itself.
 *
 * So they stand where every activity looks for them: in the first event of its history. Source: C-37.
 */
export function continueChanged(run: TaskRun, next: ModifyAnswer): Promise<never> {
  const { taskQueue, memo, typedSearchAttributes } = workflowInfo();
  const { plan, seal } = next;
  const { unpinned: _, ...kept } = memo ?? {};
  const last = run.edits.changes.at(-1);
  const goOn = makeContinueAsNewFunc<Task>({
    // The definitions may have moved it since it was created.
    taskQueue: taskQueueMoved(taskQueue, plan.placement),
    memo: {
      ...kept,
      version: plan.ability.version,
      plan: seal.plan,
      ...(hasTools(plan) && { unpinned: planDigest(plan) }),
      input: seal.input,
      ...(last && { changed: { by: last.by.name, at: last.at } }),
    },
    typedSearchAttributes: typedSearchAttributes.updateCopy([
      { key: STATUS, value: run.runRequested ? 'running' : 'created' },
    ]),
  });
  return goOn(...packArguments(startOf(run, next)));
}

function startOf(run: TaskRun, { plan, seal, input, warnings, hooks }: ModifyAnswer): TaskStart {
  const { start } = run;
  const { hooks: _, ...kept } = start;
  const own = run.warnings.filter((warning) => !start.warnings.includes(warning));
  return {
    ...kept,
    plan,
    seal,
    input,
    run: run.runRequested,
    warnings: [...new Set([...warnings, ...own])],
    ...(hooks.length > 0 && { hooks }),
    changed: {
      created_at: run.createdAt,
      changes: run.edits.changes,
      ...(run.edits.left.count > 0 && { left: run.edits.left }),
      applied: run.edits.applied.slice(-MOST_APPLIED),
      signals: run.signals,
      paused: run.paused,
    },
  };
}

/** Writes the record anew with which the task now goes on; what cannot be written is a warning. */
export async function recordChange(run: TaskRun): Promise<void> {
  const activities = proxyLocalActivities<Record<string, RecordChange>>({
    scheduleToCloseTimeout: '30s',
    startToCloseTimeout: '10s',
    retry: { maximumAttempts: 3, initialInterval: '200ms' },
  });
  const record = activities[ACTIVITIES.recordChange] as RecordChange;
  const { input, createdAt: created_at, edits, warnings } = run;
  const { changes } = edits;
  const left = edits.left.count > 0 && { changes_left: edits.left.count };
  try {
    const answer = await untilKeyed(() => record({ ...run.context, input, created_at, changes, ...left, warnings }));
    run.warnings.push(...answer.warnings);
  } catch (error) {
    if (isCancellation(error)) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    run.warnings.push(`record.write_failed: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
