import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import type { Json } from '../../contracts/json.js';
import { FIRST_CEL } from '../../contracts/names.js';
import type { GroupStep, PlanRetry, PlanStep } from '../../contracts/plan.js';
import type { Problem } from '../../contracts/problem.js';
import type { StepProgress } from '../../contracts/task.js';
import { formatDuration } from '../../rules/duration.js';
import { isSinceEngine2 } from '../../rules/engine.js';
import { codeMatchesAny, isRetryableCode } from '../../rules/error-families.js';
import { askRetryCondition, jittered, withNote } from '../../rules/retry-condition.js';
import { nameOfStep } from '../../rules/step-name.js';
import { causeOf, explain } from '../calls/cut.js';
import type { TaskRun } from '../task/task-run.js';
import { evaluateDuration } from './evaluate.js';
import type { Frame } from './frame.js';
import { cleanupWarning, runCleanup } from './run-cleanup.js';
import { EndOfTask, Halted, isStepFailure, StepFailure } from './step-failure.js';

type Work = () => Promise<Json> | Json;

/** Tries a group again; a call's attempts are Temporal's. Source: docs/workflow-language.md#failures. */
export function withRetry(
  run: TaskRun,
  step: PlanStep,
  path: string,
  frame: Frame,
  work: (frame: Frame) => ReturnType<Work>,
): ReturnType<Work> {
  return step.verb === 'steps' && step.retry ? tryAgain(run, step, step.retry, path, frame, work) : work(frame);
}

async function tryAgain(
  run: TaskRun,
  step: GroupStep,
  retry: PlanRetry,
  path: string,
  frame: Frame,
  work: (frame: Frame) => ReturnType<Work>,
): Promise<Json> {
  const { attempts, factor, errors } = retry;
  let wait = evaluateDuration(run, retry.first, frame);
  // As between the attempts of a call, where `first` is waited even if it is longer.
  const most = Math.max(wait, evaluateDuration(run, retry.max, frame));
  const begun = run.progress[path]?.attempts ?? 1;
  if (isSinceEngine2(run.plan)) wait *= factor ** (begun - 1);
  for (let attempt = begun; ; attempt += 1) {
    try {
      run.note(path, step.id, { status: 'running', attempts: attempt });
      return await work({ ...frame, groups: [...frame.groups, attempt] });
    } catch (error) {
      const again = isStepFailure(error) && isTriedAgain(run, error, errors);
      if (!again || attempt >= attempts) throw error;
      refuseAgain(run, retry, error, attempt);
    }
    const whole = Math.min(wait, most);
    // The sandbox's own randomness, so that a replay waits as long.
    const pause = frame.budget.capWait(retry.jitter ? jittered(whole, Math.random) : whole);
    try {
      run.backingOff.set(path, { attempt: attempt + 1, at: Date.now() + pause });
      await frame.halt.wait(() => sleep(pause, { summary: `${path}: attempt ${attempt + 1}` }));
    } catch (error) {
      // The next run is to begin with the next attempt, not with what has failed in this one.
      if (error instanceof Halted && run.rollingOver) forgetAttempt(run, step, path, attempt);
      throw error;
    } finally {
      run.backingOff.delete(path);
    }
    wait *= factor;
    for (const inner of step.steps) run.forget(`${path}/${nameOfStep(inner.id)}`);
  }
}

function isTriedAgain({ plan }: TaskRun, { problem, isAnswer }: StepFailure, errors: string[] | undefined): boolean {
  if (isAnswer && !codeMatchesAny(problem.code, errors ?? [])) return false;
  return isRetryableCode(problem.code, errors, !isSinceEngine2(plan));
}

/** @throws StepFailure the failure itself, where `retry.if` wants no other attempt. */
function refuseAgain({ plan }: TaskRun, retry: PlanRetry, failure: StepFailure, attempt: number): void {
  if (retry.if === undefined) return;
  const { again, note } = askRetryCondition(retry.if, failure.problem, attempt, plan.cel ?? FIRST_CEL);
  if (again) return;
  if (note === undefined) throw failure;
  throw new StepFailure(withNote(failure.problem, note), failure.hasArrived, failure.isAnswer);
}

function forgetAttempt(run: TaskRun, step: GroupStep, path: string, attempt: number): void {
  for (const inner of step.steps) run.forget(`${path}/${nameOfStep(inner.id)}`);
  (run.progress[path] as StepProgress).attempts = attempt + 1;
}

/** Ends a step that takes too long; of a call, Temporal keeps the time. */
export function withTimeout(run: TaskRun, step: PlanStep, path: string, frame: Frame, work: Work): ReturnType<Work> {
  if (step.timeout === undefined || isOperationCall(run, step)) return work();
  return within(evaluateDuration(run, step.timeout, frame), run, step, path, work);
}

async function within(limit: number, run: TaskRun, step: PlanStep, path: string, work: Work): Promise<Json> {
  const begun = Date.parse(run.progress[path]?.started_at ?? new Date().toISOString());
  const scope = new CancellationScope({ cancellable: true, timeout: Math.max(1, begun + limit - Date.now()) });
  const outer = CancellationScope.current();
  let isFirst = false;
  // Only one of the two is what cut the calls inside, and both may have struck when they have ended.
  scope.cancelRequested.catch(() => (isFirst = !outer.consideredCancelled));
  const late: Problem = {
    code: 'timeout.step',
    message: `The step took longer than ${formatDuration(limit)}`,
    suggestion: 'Raise its `timeout`, or find out why it is slow.',
  };
  try {
    return await scope.run(async () => work());
  } catch (error) {
    if (isFirst) explain(run, error, { ...causeOf(late), step: step.id, path });
    if (!isCancellation(error) || outer.consideredCancelled) throw error;
    throw new StepFailure(late);
  }
}

function isOperationCall({ plan }: TaskRun, step: PlanStep): boolean {
  return step.verb === 'call' && plan.operations[step.call] !== undefined;
}

/**
 * Runs the `finally` of a step, whatever became of it.
 *
 * A failure in it is the step's when there was none before; otherwise it becomes a warning. Source: docs/workflow-language.md#choices-and-ends.
 */
export function withCleanup(run: TaskRun, step: PlanStep, inside: Frame, work: Work): ReturnType<Work> {
  return step.finally ? thenCleanUp(run, step, step.finally, inside, work) : work();
}

async function thenCleanUp(run: TaskRun, step: PlanStep, steps: PlanStep[], inside: Frame, work: Work): Promise<Json> {
  let output: Json;
  try {
    output = await work();
  } catch (error) {
    // What was halted because this run winds up is not over.
    const other = error instanceof Halted && run.rollingOver ? undefined : await runCleanup(run, steps, inside);
    if (!other) throw error;
    if (error instanceof EndOfTask && !error.failure && step.fails_end) throw new EndOfTask(error.output, other);
    warnOfCleanup(run, other, error);
    throw error;
  }
  const failure = await runCleanup(run, steps, inside);
  if (failure) throw failure;
  return output;
}

function warnOfCleanup(run: TaskRun, failure: StepFailure, beside: unknown): void {
  const warning = cleanupWarning(failure);
  run.warnings.push(warning);
  if (!(beside instanceof EndOfTask)) run.newWarnings.set(warning, undefined);
}
