import type { Problem } from '../../contracts/problem.js';
import type { Rollback, StepSummary, TaskResult } from '../../contracts/task.js';
import { markdownCode, markdownLine, startOf } from '../../rules/shown-text.js';
import { nameOf } from '../../rules/steps/describe-items.js';
import { describeRollback } from '../../rules/tasks/shown-approvals.js';
import { wayToRetry } from '../../rules/tasks/ways-to-retry.js';
import { placeOf } from '../steps/step-failure.js';
import type { TaskIdentity } from '../task/identity.js';
import type { TaskLifecycle } from '../task/lifecycle.js';

const MAX_MESSAGE = 2000;

/** The message of a failed workflow, for lists and the Temporal UI without a worker. The code is its type. */
export function failureMessage(error: Problem, { steps, ...result }: Pick<TaskResult, 'steps'> & Rollback): string {
  const place = placeOf(error);
  const item = itemOf(error, steps);
  const where = place === undefined ? '' : `step ${place}${item ? `, ${item}` : ''}: `;
  const undone = describeRollback(result);
  return `${where}${error.code}: ${error.message}${undone === undefined ? '' : `; undone: ${undone}`}`;
}

/** Failure, reason, and next command, as lines of Markdown; empty for a task that has not failed. */
export function describeFailure(
  { id, key, plan }: TaskIdentity,
  ending: TaskLifecycle['ending'],
  steps: readonly StepSummary[],
  rollback: Rollback = {},
): string[] {
  const error = ending?.error;
  if (!ending || !error) return [];
  const place = placeOf(error);
  const item = itemOf(error, steps);
  const where =
    place === undefined ? 'The task' : `Step ${markdownCode(place)}${item ? `, ${markdownLine(item)},` : ''}`;
  const undone = describeRollback(rollback);
  const way = wayToRetry({ task: id, status: ending.status, plan, error });
  const retry = way && `ability task retry ${id}${way.from === null ? '' : ` --from ${way.from}`}`;
  return [
    `${where} ended with ${markdownCode(error.code)}: ${markdownLine(startOf(error.message, MAX_MESSAGE))}`,
    '',
    ...(error.suggestion === undefined ? [] : [`- ${markdownLine(error.suggestion)}`]),
    ...(undone === undefined ? [] : [`- undone: ${markdownLine(undone)}`]),
    ...(key === null ? [] : [`- more: ${markdownCode(`ability why ${key}`)}`]),
    ...(retry === undefined ? [] : [`- try again: ${markdownCode(retry)}`]),
    '',
  ];
}

/** The item or turn that failed, as accounts name it; undefined outside loops. */
function itemOf({ details }: Problem, steps: readonly StepSummary[]): string | undefined {
  const path: unknown = details !== null && typeof details === 'object' ? Reflect.get(details, 'path') : undefined;
  if (typeof path !== 'string') return undefined;
  for (const row of steps) {
    const failure = row.items && row.failures?.find((one) => one.path === path);
    if (failure) return nameOf(failure, row);
  }
  return undefined;
}
