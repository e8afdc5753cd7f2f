import { ApplicationFailure, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { preflightIdOf, taskQueueOf, WORKFLOWS } from '../contracts/names.js';
import { AbilityError, type Problem } from '../contracts/problem.js';
import type { PreflightAnswer, TaskRequest } from '../contracts/task.js';
import { digestOf } from '../rules/canonical.js';
import type { Session } from './connect.js';
import type { NewTask } from './create-task.js';
import { placementWithWorker } from './pollers.js';
import { watchingStalls } from './watch-stalls.js';

const PREFLIGHT_LIMIT = '60s';
/** Callers with different inputs under one key queue up for its preflight; more turns than that do not happen. */
export const MOST_TURNS = 20;

/**
 * Runs preflight, or joins one that another caller runs for the same request. Source: answers, 3 and 7.
 *
 * @throws AbilityError with what preflight says; `worker.unavailable`, `task.key_conflict`.
 */
export async function askPreflight(
  session: Session,
  request: TaskRequest,
  { onStall }: Pick<NewTask, 'onStall'>,
): Promise<PreflightAnswer> {
  const placement = await placementWithWorker(session, request.environment);
  const digest = digestOf(request);
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    const handle = await session.temporal.workflow.start(WORKFLOWS.preflight, {
      workflowId: preflightIdOf(request.task, session.project),
      taskQueue: taskQueueOf(session.project, request.environment, placement),
      args: [request],
      workflowExecutionTimeout: PREFLIGHT_LIMIT,
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `preflight of ${request.ability}`,
    });
    const own = await watchingStalls(session, handle.workflowId, onStall, () => resultOf(handle, digest));
    if (own) return own;
  }
  throw tooManyCallers(request.task);
}

/** The answer of a preflight, or undefined when it was for another request. */
async function resultOf(handle: WorkflowHandle, digest: string): Promise<PreflightAnswer | undefined> {
  try {
    const answer = (await handle.result()) as PreflightAnswer;
    return answer.request === digest ? answer : undefined;
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { cause } = error;
    if (!(cause instanceof ApplicationFailure) || !cause.type) throw notAnswered(error);
    const [problem, by] = (cause.details ?? []) as [Problem?, { request?: string }?];
    if (by?.request !== undefined && by.request !== digest) return undefined;
    throw new AbilityError(problem ?? { code: cause.type, message: cause.message }, { cause: error });
  }
}

function notAnswered(cause: Error): AbilityError {
  return new AbilityError(
    {
      code: 'worker.unavailable',
      message: 'No worker answered the preflight within a minute; nothing was created',
      suggestion: 'Look whether the worker is well: `ability doctor`.',
    },
    { cause },
  );
}

/** The error for a key that too many callers want for different requests at once. */
export function tooManyCallers(id: string): AbilityError {
  return new AbilityError({
    code: 'task.key_conflict',
    message: `Too many callers want ${id} for different things at once`,
    suggestion: 'Choose another key.',
  });
}
