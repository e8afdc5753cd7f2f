import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import type { Json } from '../../contracts/json.js';
import type { GroupStep, PlanRetry, PlanStep } from '../../contracts/plan.js';
import type { Problem } from '../../contracts/problem.js';
import { isStepEnd } from '../../contracts/states.js';
import type { StepProgress } from '../../contracts/task.js';
import { waitAskedFor } from '../../rules/calls/call-defaults.js';
import { codeMatchesAny, isCatchable, isRetryableCode } from '../../rules/calls/error-families.js';
import { formatDuration } from '../../rules/duration.js';
import { askRetryCondition, jittered, withNote } from '../../rules/steps/retry-condition.js';
import { isPlain, nameOfStep } from '../../rules/steps/step-tree.js';
import { stepInstanceOf } from '../../rules/traces/trace-ids.js';
import { causeOf } from '../calls/lost-calls.js';
import { withOwnTurn } from '../loops/last-turns.js';
import { reportStep } from '../reports/report-spans.js';
import { beforeStep, refuseCancelled } from '../task/before-step.js';
import type { TaskRun } from '../task/task-run.js';
import { withHandlers } from './error-handlers.js';
import { evaluateCondition, evaluateDuration } from './evaluate.js';
import { type Frame, frameInside, type StepEnd } from './frame.js';
import { prepareUndo, runCall } from './run-call.js';
import { cleanupWarning, runCleanup } from './run-cleanup.js';
import { runVerb } from './run-verb.js';
import { BranchStopped, EndOfTask, isStepFailure, locate, StepFailure, stepStatusOf } from './step-failure.js';

/**
 * Runs one step with its modifiers, from the inside out: retry, timeout, on_error, finally, continue_on_error.
 * Never repeats a completed one. Source: docs/architecture.md#the-way-of-a-task;
 * docs/workflow-language.md#failures. @throws StepFailure if unhandled; EndOfTask; BranchStopped; cancellation.
 */
export async function runStep(step: PlanStep, around: Frame): Promise<StepEnd> {
  const { run } = around;
  const path = around.prefix + nameOfStep(step.id);
  const done = run.steps.progress[path];
  const earlier = done && endOf(done, step);
  if (earlier) {
    run.steps.recall(step, path);
    return earlier;
  }
  const instance = stepInstanceOf(path, around.groups);
  const frame = { ...withOwnTurn(step, around), instance };
  try {
    refuseCancelled();
    const resumed = frame.isCleanup ? undefined : beforeStep(run.life, frame.branchStop);
    if (resumed) await resumed;
  } catch (error) {
    // One that began in an earlier run is entered: what is in it starts nothing, but cleans up.
    const hasBegun = done?.started_at !== undefined && !isStepEnd(done.status);
    if (!hasBegun || !isCancellation(error)) throw error;
  }
  let isSkipped = false;
  try {
    // The condition of a step that has begun was evaluated before.
    if (step.if !== undefined && !done?.started_at && !evaluateCondition(step.if, frame)) {
      isSkipped = true;
      run.steps.skip(step, frame.prefix);
      return { ran: false, output: null };
    }
    run.steps.note(path, step.id, { status: 'running', ...(step.verb === 'call' && { call: step.call }) });
    const output = await runModified(step, path, frame);
    run.steps.note(path, step.id, { status: 'succeeded', output });
    return { ran: true, output };
  } catch (error) {
    return noteFailure(run, step, path, error);
  } finally {
    const entry = run.steps.progress[path];
    if (!isSkipped && entry && isStepEnd(entry.status)) {
      run.steps.inTurns.note(step, path, entry);
      reportStep(run.steps, step, path, { instance, within: around.instance });
    }
  }
}

/** The result of a completed step; undefined if it must run. */
function endOf({ status, output = null, error }: StepProgress, step: PlanStep): StepEnd | undefined {
  if (status === 'succeeded' && step.verb === 'end') throw new EndOfTask(output);
  if (status === 'succeeded') return { ran: true, output };
  if (status === 'skipped') return { ran: false, output: null };
  const covered = isStepEnd(status) && error !== undefined && step.continue_on_error && isCatchable(error.code);
  return covered ? { ran: true, output: null } : undefined;
}

/** Temporal retries calls itself; here it is groups that are tried again. */
function runModified(step: PlanStep, path: string, frame: Frame): Promise<Json> | Json {
  const once = (inside: Frame): ReturnType<Work> => runPrepared(step, path, inside);
  const retried: Work = () =>
    step.verb === 'steps' && step.retry ? tryAgain(step, step.retry, path, frame, once) : once(frame);
  const handled: Work = () => withHandlers(step, path, frame, () => withTimeout(step, path, frame, retried));
  return step.finally ? thenCleanUp(step, step.finally, frameInside(frame, path), handled) : handled();
}

/** Prepares to undo a call that took place, even if its answer is unusable or its clean-up fails later. */
function runPrepared(step: PlanStep, path: string, frame: Frame): Promise<Json> | Json {
  if (step.verb === 'call' || isPlain(step)) refuseCancelled();
  if (step.verb !== 'call' || !step.undo) return runVerb(step, path, frame);
  return runCall(step, path, frame).then(
    (output) => {
      prepareUndo(step, path, frame, output);
      return output;
    },
    (error: unknown) => {
      if (isStepFailure(error) && error.hasArrived) prepareUndo(step, path, frame, null);
      throw error;
    },
  );
}

function noteFailure(run: TaskRun, step: PlanStep, path: string, error: unknown): StepEnd {
  if (error instanceof EndOfTask) throw noteEnd(run, step, path, error);
  // A run that winds up leaves stopped steps unchanged: the next run continues them.
  if (error instanceof BranchStopped && run.life.rollingOver) throw error;
  if (isStepFailure(error)) {
    const { problem } = locate(error, step.id, path);
    run.steps.note(path, step.id, { status: stepStatusOf(problem.code), output: null, error: problem });
    if (step.continue_on_error && isCatchable(problem.code)) return { ran: true, output: null };
  } else if (error instanceof BranchStopped || isCancellation(error)) {
    run.steps.note(path, step.id, { status: 'cancelled', output: null });
  } else run.steps.note(path, step.id, { status: 'failed', output: null });
  throw error;
}

/** A clean-up on the way of `end` may have failed; `continue_on_error` of the step ignores that. */
function noteEnd(run: TaskRun, step: PlanStep, path: string, end: EndOfTask): EndOfTask {
  const { output, failure } = end;
  if (!failure) {
    run.steps.note(path, step.id, { status: 'succeeded', output });
    return end;
  }
  const { problem } = locate(failure, step.id, path);
  run.steps.note(path, step.id, { status: stepStatusOf(problem.code), output: null, error: problem });
  return step.continue_on_error && isCatchable(problem.code) ? new EndOfTask(output) : end;
}

type Work = () => Promise<Json> | Json;

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
      await frame.branchStop.wait(() => sleep(pause, { summary: `${path}: attempt ${attempt + 1}` }));
    } catch (error) {
      // The next run must begin with the next attempt, not with the failures of this one.
      if (error instanceof BranchStopped && run.life.rollingOver) {
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
function withTimeout(step: PlanStep, path: string, frame: Frame, work: Work): ReturnType<Work> {
  const isOperationCall = step.verb === 'call' && frame.run.task.plan.operations[step.call] !== undefined;
  if (step.timeout === undefined || isOperationCall) return work();
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

/**
 * Runs the `finally` of a step however it ended. A failure in it is the step's if there was none before, else a
 * warning. Source: docs/workflow-language.md#branching-and-ending.
 */
async function thenCleanUp(step: PlanStep, steps: PlanStep[], inside: Frame, work: Work): Promise<Json> {
  const { run } = inside;
  let output: Json;
  try {
    output = await work();
  } catch (error) {
    // A step stopped because this run winds up has not ended.
    const other = error instanceof BranchStopped && run.life.rollingOver ? undefined : await runCleanup(steps, inside);
    if (!other) throw error;
    if (error instanceof EndOfTask && !error.failure && step.fails_end) throw new EndOfTask(error.output, other);
    run.warnings.add(cleanupWarning(other));
    throw error;
  }
  const failure = await runCleanup(steps, inside);
  if (failure) throw failure;
  return output;
}
