import type { ApplicationFailure } from '@temporalio/client';
import { taskQueueOf } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import type { PreflightAnswer, TaskRequest } from '../../contracts/task.js';
import { digestOf } from '../../rules/canonical.js';
import type { Connection } from '../connection/connect.js';
import { placementWithWorker } from '../connection/find-workers.js';
import { problemIn } from '../connection/temporal-errors.js';
import { watchingStalls } from '../watch/find-stall.js';
import type { PreflightOutcome } from './find-preflight-outcome.js';
import type { NewTask } from './new-task.js';
import { runAsActivity } from './preflight-as-activity.js';
import { startAsWorkflow } from './preflight-as-workflow.js';

/** Callers with different inputs for one key run preflight in turn, up to this limit. */
export const MAX_TURNS = 20;

/**
 * Runs preflight, or joins another caller's for the same request. @throws AbilityError errors of preflight;
 * `worker.unavailable`, `task.key_conflict`. Source: docs/architecture.md#what-lives-where-in-temporal;
 * docs/architecture.md#no-hangs.
 */
export async function runPreflight(
  connection: Connection,
  request: TaskRequest,
  { onStall }: Pick<NewTask, 'onStall'>,
): Promise<PreflightAnswer> {
  const placement = await placementWithWorker(connection, request.environment);
  const queue = taskQueueOf(connection.project, request.environment, placement);
  const digest = digestOf(request);
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const outcome =
      (await runAsActivity(connection, request, queue)) ?? (await runAsWorkflow(connection, request, queue, onStall));
    const own = ownAnswer(outcome, digest);
    if (own) return own;
  }
  throw tooManyCallers(request.task);
}

async function runAsWorkflow(
  connection: Connection,
  request: TaskRequest,
  queue: string,
  onStall: NewTask['onStall'],
): Promise<PreflightOutcome> {
  const { id, outcome } = await startAsWorkflow(connection, request, queue);
  return watchingStalls(connection, id, onStall, outcome);
}

/** Undefined if the preflight was for another request. @throws AbilityError with its refusal. */
function ownAnswer(outcome: PreflightOutcome, digest: string): PreflightAnswer | undefined {
  if ('answer' in outcome) return outcome.answer.request === digest ? outcome.answer : undefined;
  const { failure } = outcome;
  const { cause } = failure;
  const problem = problemIn(cause);
  if (!problem) throw notAnswered(failure);
  const [, by] = ((cause as ApplicationFailure).details ?? []) as [unknown, { request?: string }?];
  if (by?.request !== undefined && by.request !== digest) return undefined;
  throw new AbilityError(problem, { cause: failure });
}

function notAnswered(cause: Error): AbilityError {
  const message = 'No worker answered the preflight within a minute; nothing was created';
  const suggestion = 'Run `ability doctor` to check the worker.';
  return new AbilityError({ code: 'worker.unavailable', message, suggestion }, { cause });
}

export function tooManyCallers(id: string): AbilityError {
  return new AbilityError({
    code: 'task.key_conflict',
    message: `Too many callers want the key ${id} for different tasks at once`,
    suggestion: 'Choose another key.',
  });
}
