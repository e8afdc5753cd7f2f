import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import type { Json } from '../../contracts/json.js';
import type { GroupStep, PlanRetry, PlanStep } from '../../contracts/plan.js';
import type { Problem } from '../../contracts/problem.js';
import { waitAskedFor } from '../../rules/calls/call-limits.js';
import { codeMatchesAny, isRetryableCode } from '../../rules/calls/error-families.js';
import { formatDuration } from '../../rules/duration.js';
import { askRetryCondition, jittered, withNote } from '../../rules/steps/retry-condition.js';
import { nameOfStep } from '../../rules/steps/step-name.js';
import { causeOf } from '../calls/lost-calls.js';
import type { TaskIdentity } from '../task/identity.js';
import { evaluateDuration } from './evaluate.js';
import type { Frame } from './frame.js';
import { cleanupWarning, runCleanup } from './run-cleanup.js';
import { EndOfTask, Halted, isStepFailure, StepFailure } from './step-failure.js';

type Work = () => Promise<Json> | Json;

/** Retries a group; Temporal retries calls. Source: docs/workflow-language.md#failures. */
export function withRetry(
  step: PlanStep,
  path: string,
  frame: Frame,
  work: (frame: Frame) => ReturnType<Work>,
): ReturnType<Work> {
  return step.verb === 'steps' && step.retry ? tryAgain(step, step.retry, path, frame, work) : work(frame);
}

async function tryAgain(
  step: GroupStep,
  retry: PlanRetry,
  path: string,
  frame: Frame,
  work: (frame: Frame) => ReturnType<Work>,
): Promise<Json> {
  const { run } = frame;
  const { attempts, factor, errors } = retry;
  let wait = evaluateDuration(retry.first, frame);
  // As between the attempts of a call, `first` applies even if it is longer than `max`.
  const max = Math.max(wait, evaluateDuration(retry.max, frame));
  const begun = run.steps.progress[path]?.attempts ?? 1;
  wait *= factor ** (begun - 1);
  const inner = step.steps.map(({ id }) => `${path}/${nameOfStep(id)}`);
  for (let attempt = begun; ; attempt += 1) {
    let [asked, why] = [0, ''];
    try {
      run.steps.note(path, step.id, { status: 'running', attempts: attempt });
      return await work({ ...frame, groups: [...frame.groups, attempt] });
    } catch (error) {
      const again = isStepFailure(error) && isTriedAgain(error, errors);
      if (!again || attempt >= attempts) throw error;
      refuseAgain(retry, error, attempt);
      asked = waitAskedFor(error.problem, Date.now()) ?? 0;
      why = error.problem.code;
      if (asked > frame.budget.left(0)) throw error;
    }
    const whole = Math.min(wait, max);
    // The sandbox's `Math.random`, so that a replay waits as long.
    const own = retry.jitter ? jittered(whole, Math.random) : whole;
    const pause = frame.budget.capWait(Math.max(own, asked));
    try {
      run.steps.backingOff.set(path, { attempt: attempt + 1, at: Date.now() + pause, why });
      await frame.halt.wait(() => sleep(pause, { summary: `${path}: attempt ${attempt + 1}` }));
    } catch (error) {
      // The next run must begin with the next attempt, not with the failures of this one.
      if (error instanceof Halted && run.life.rollingOver) {
        run.steps.forget(inner);
        run.steps.entry(path).attempts = attempt + 1;
      }
      throw error;
    } finally {
      run.steps.backingOff.delete(path);
    }
    wait *= factor;
    run.steps.forget(inner);
  }
}

function isTriedAgain({ problem, isAnswer }: StepFailure, errors: string[] | undefined): boolean {
  if (isAnswer && !codeMatchesAny(problem.code, errors ?? [])) return false;
  return isRetryableCode(problem.code, errors);
}

/** @throws StepFailure the given failure if `retry.if` forbids another attempt. */
function refuseAgain(retry: PlanRetry, failure: StepFailure, attempt: number): void {
  if (retry.if === undefined) return;
  const { again, note } = askRetryCondition(retry.if, failure.problem, attempt);
  if (again) return;
  if (note === undefined) throw failure;
  throw new StepFailure(withNote(failure.problem, note), failure.hasArrived, failure.isAnswer);
}

/** Ends a step at its timeout; for calls, Temporal does so. */
export function withTimeout(step: PlanStep, path: string, frame: Frame, work: Work): ReturnType<Work> {
  if (step.timeout === undefined || isOperationCall(frame.run.task, step)) return work();
  return within(evaluateDuration(step.timeout, frame), step, path, frame, work);
}

async function within(limit: number, step: PlanStep, path: string, { run }: Frame, work: Work): Promise<Json> {
  const begun = Date.parse(run.steps.progress[path]?.started_at ?? new Date().toISOString());
  const scope = new CancellationScope({ cancellable: true, timeout: Math.max(1, begun + limit - Date.now()) });
  const outer = CancellationScope.current();
  let isFirst = false;
  // Either the timeout or an outer cancellation cut the calls inside; both may have happened by their end.
  scope.cancelRequested.catch(() => (isFirst = !outer.consideredCancelled));
  const late: Problem = {
    code: 'timeout.step',
    message: `The step took longer than ${formatDuration(limit)}`,
    suggestion: 'Raise its `timeout`, or find out why it is slow.',
  };
  try {
    return await scope.run(async () => work());
  } catch (error) {
    if (isFirst) run.lost.explain(error, { ...causeOf(late), step: step.id, path });
    if (!isCancellation(error) || outer.consideredCancelled) throw error;
    throw new StepFailure(late);
  }
}

function isOperationCall({ plan }: TaskIdentity, step: PlanStep): boolean {
  return step.verb === 'call' && plan.operations[step.call] !== undefined;
}

/**
 * Runs the `finally` of a step however it ended. A failure in it is the step's if there was none before, else a
 * warning. Source: docs/workflow-language.md#branching-and-ending.
 */
export function withCleanup(step: PlanStep, inside: Frame, work: Work): ReturnType<Work> {
  return step.finally ? thenCleanUp(step, step.finally, inside, work) : work();
}

async function thenCleanUp(step: PlanStep, steps: PlanStep[], inside: Frame, work: Work): Promise<Json> {
  const { run } = inside;
  let output: Json;
  try {
    output = await work();
  } catch (error) {
    // A step halted because this run winds up has not ended.
    const other = error instanceof Halted && run.life.rollingOver ? undefined : await runCleanup(steps, inside);
    if (!other) throw error;
    if (error instanceof EndOfTask && !error.failure && step.fails_end) throw new EndOfTask(error.output, other);
    run.warnings.add(cleanupWarning(other));
    throw error;
  }
  const failure = await runCleanup(steps, inside);
  if (failure) throw failure;
  return output;
}
