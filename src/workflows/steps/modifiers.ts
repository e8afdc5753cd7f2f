import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import type { Json } from '../../contracts/json.js';
import type { PlanStep } from '../../contracts/plan.js';
import { formatDuration } from '../../rules/duration.js';
import { isRetryableCode } from '../../rules/error-families.js';
import { Halted, isStepFailure, StepFailure } from '../step-failure.js';
import type { TaskRun } from '../task-run.js';
import { evaluateDuration } from './evaluate.js';
import type { Frame } from './frame.js';
import { runCleanup } from './run-cleanup.js';

type Work = () => Promise<Json>;

/** Tries a group again; a call's attempts are Temporal's. Source: answers, 47. */
export async function withRetry(run: TaskRun, step: PlanStep, path: string, frame: Frame, work: Work): Promise<Json> {
  if (step.verb !== 'steps' || !step.retry) return work();
  const { attempts, factor, errors } = step.retry;
  const most = evaluateDuration(run, step.retry.max, frame);
  let wait = evaluateDuration(run, step.retry.first, frame);
  const begun = run.progress[path]?.attempts ?? 1;
  for (let attempt = begun; ; attempt += 1) {
    try {
      run.note(path, step.id, { status: 'running', attempts: attempt });
      return await work();
    } catch (error) {
      const again = isStepFailure(error) && isRetryableCode(error.problem.code, errors);
      if (!again || attempt >= attempts) throw error;
    }
    const pause = frame.budget.capWait(Math.min(wait, most));
    await frame.halt.wait(() => sleep(pause, { summary: `${path}: attempt ${attempt + 1}` }));
    wait *= factor;
    for (const inner of step.steps) run.forget(`${path}/${inner.id}`);
  }
}

/** Ends a step that takes too long; of a call, Temporal keeps the time. */
export async function withTimeout(run: TaskRun, step: PlanStep, path: string, frame: Frame, work: Work): Promise<Json> {
  if (step.timeout === undefined || isOperationCall(run, step)) return work();
  const limit = evaluateDuration(run, step.timeout, frame);
  const begun = Date.parse(run.progress[path]?.started_at ?? new Date().toISOString());
  const scope = new CancellationScope({ cancellable: true, timeout: Math.max(1, begun + limit - Date.now()) });
  const outer = CancellationScope.current();
  try {
    return await scope.run(work);
  } catch (error) {
    if (!isCancellation(error) || outer.consideredCancelled) throw error;
    throw new StepFailure({
      code: 'timeout.step',
      message: `The step took longer than ${formatDuration(limit)}`,
      suggestion: 'Raise its `timeout`, or find out why it is slow.',
    });
  }
}

function isOperationCall({ plan }: TaskRun, step: PlanStep): boolean {
  return step.verb === 'call' && plan.operations[step.call] !== undefined;
}

/**
 * Runs the `finally` of a step, whatever became of it.
 *
 * A failure in it is the step's when there was none before; otherwise it becomes a warning. Source: answers, 50.
 */
export async function withCleanup(run: TaskRun, step: PlanStep, inside: Frame, work: Work): Promise<Json> {
  if (!step.finally) return work();
  let output: Json;
  try {
    output = await work();
  } catch (error) {
    // What was halted because this run winds up is not over.
    if (!(error instanceof Halted && run.rollingOver)) await runCleanup(run, step.finally, inside);
    throw error;
  }
  const failure = await runCleanup(run, step.finally, inside);
  if (failure) throw failure;
  return output;
}
