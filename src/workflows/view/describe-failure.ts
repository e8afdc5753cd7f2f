import type { Problem } from '../../contracts/problem.js';
import type { StepSummary } from '../../contracts/task.js';
import { nameOf } from '../../rules/describe-items.js';
import { markdownCode, markdownLine, startOf } from '../../rules/shown-text.js';
import { wayToRetry } from '../../rules/way-on.js';
import { placeOf } from '../steps/step-failure.js';
import type { TaskRun } from '../task/task-run.js';

const MOST_OF_A_MESSAGE = 2000;

/**
 * What failed and why, in one text: the message of a workflow that has failed, which lists and the Temporal UI show when no
 * worker is there to ask. The code is its type.
 */
export function tellFailure(error: Problem, steps: readonly StepSummary[]): string {
  const place = placeOf(error);
  const item = itemOf(error, steps);
  const where = place === undefined ? '' : `step ${place}${item ? `, ${item}` : ''}: `;
  return `${where}${error.code}: ${error.message}`;
}

/** What failed, why, and which command comes next; lines of Markdown, none of a task that has not failed. */
export function describeFailure(run: TaskRun, steps: readonly StepSummary[]): string[] {
  const { ending } = run;
  const error = ending?.error;
  if (!ending || !error) return [];
  const place = placeOf(error);
  const item = itemOf(error, steps);
  const where =
    place === undefined ? 'The task' : `Step ${markdownCode(place)}${item ? `, ${markdownLine(item)},` : ''}`;
  const [retry] = retryOf(run, error);
  return [
    `${where} ended with ${markdownCode(error.code)}: ${markdownLine(startOf(error.message, MOST_OF_A_MESSAGE))}`,
    '',
    ...(error.suggestion === undefined ? [] : [`- ${markdownLine(error.suggestion)}`]),
    ...(run.taskKey === null ? [] : [`- more: ${markdownCode(`ability why ${run.taskKey}`)}`]),
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

function retryOf(run: TaskRun, error: Problem): string[] {
  const { ending, task, plan } = run;
  if (!ending) return [];
  const way = wayToRetry({ task, status: ending.status, plan, error });
  if (!way) return [];
  return [`ability task retry ${task}${way.from === null ? '' : ` --from ${way.from}`}`];
}
