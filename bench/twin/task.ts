/** What every workflow of the twin does around its calls: keep the steps, answer the query, end with a result or a code. */
import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  setHandler,
  TimeoutFailure,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Answer } from './activities.js';
import {
  ABILITY_STATUS,
  type FailedResult,
  type PendingApproval,
  type Progress,
  type StepRecord,
  type TaskResult,
  taskQuery,
} from './contract.js';

/** A running workflow, as its scenario sees it. */
export interface Task {
  /** Makes a call as a step of the result, and gives the body of its answer. */
  call<Body>(id: string, send: () => Promise<Answer<Body>>): Promise<Body>;
  /** Waits for a decision as a step of the result; meanwhile AbilityStatus is `waiting_approval`. */
  await<Decided>(approval: PendingApproval, decided: () => Promise<Decided>): Promise<Decided>;
}

/**
 * Runs a scenario from its start to its result.
 *
 * A failed call fails the workflow with the call's code and a {@link FailedResult}; a cancelled one leaves it cancelled.
 */
export async function runTask<Output>(scenario: (task: Task) => Promise<Output>): Promise<TaskResult<Output>> {
  const progress: Progress = { ability: workflowInfo().workflowType, status: 'running', steps: [] };
  setHandler(taskQuery, () => progress);
  try {
    const output = await scenario(taskOver(progress));
    return { status: 'succeeded', output, steps: progress.steps };
  } catch (error) {
    if (error instanceof ActivityFailure && !isCancellation(error)) throw endOf(error, progress.steps);
    throw error;
  }
}

function taskOver(progress: Progress): Task {
  return {
    call: (id, send) =>
      runStep(progress.steps, id, async (step) => {
        const { body, attempt } = await send();
        step.attempts = attempt;
        return body;
      }),
    await: (approval, decided) =>
      runStep(progress.steps, approval.approval_id, async (step) => {
        step.attempts = 1;
        Object.assign(progress, { status: 'waiting_approval', approval });
        upsertSearchAttributes([{ key: ABILITY_STATUS, value: 'waiting_approval' }]);
        const answer = await decided();
        Object.assign(progress, { status: 'running', approval: undefined });
        upsertSearchAttributes([{ key: ABILITY_STATUS, value: 'running' }]);
        return answer;
      }),
  };
}

async function runStep<T>(steps: StepRecord[], id: string, run: (step: StepRecord) => Promise<T>): Promise<T> {
  const step: StepRecord = { id, status: 'running', attempts: 0, duration_ms: 0 };
  steps.push(step);
  const started = Date.now();
  try {
    const value = await run(step);
    step.status = 'succeeded';
    return value;
  } catch (error) {
    step.status = isCancellation(error) ? 'cancelled' : 'failed';
    if (error instanceof ActivityFailure) step.attempts = attemptsOf(error);
    throw error;
  } finally {
    step.duration_ms = Date.now() - started;
  }
}

function endOf(error: ActivityFailure, steps: StepRecord[]): ApplicationFailure {
  const result: FailedResult = { status: 'failed', steps };
  return ApplicationFailure.create({
    type: codeOf(error),
    message: `${error.activityType}: ${error.cause?.message ?? error.message}`,
    nonRetryable: true,
    details: [result],
    cause: error,
  });
}

function codeOf({ cause }: ActivityFailure): string {
  if (cause instanceof ApplicationFailure) return cause.type ?? 'internal.error';
  if (cause instanceof TimeoutFailure) {
    return cause.timeoutType === 'SCHEDULE_TO_START' ? 'worker.unavailable' : 'call.timed_out';
  }
  return 'internal.error';
}

/** A time-out tells no attempt: then only the limit, once reached, is known. */
function attemptsOf({ cause, retryState }: ActivityFailure): number {
  const told = cause instanceof ApplicationFailure ? cause.details?.[0] : undefined;
  if (typeof told === 'number') return told;
  return retryState === 'MAXIMUM_ATTEMPTS_REACHED' ? 3 : 1;
}
