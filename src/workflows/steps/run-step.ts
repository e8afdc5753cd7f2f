import { isCancellation } from '@temporalio/workflow';
import type { Json } from '../../contracts/json.js';
import type { PlanStep } from '../../contracts/plan.js';
import { isStepEnd } from '../../contracts/states.js';
import type { StepProgress } from '../../contracts/task.js';
import { isCatchable } from '../../rules/calls/error-families.js';
import { isPlain } from '../../rules/steps/step-kinds.js';
import { nameOfStep } from '../../rules/steps/step-name.js';
import { stepInstanceOf } from '../../rules/traces/trace-ids.js';
import { withOwnTurn } from '../loops/last-turns.js';
import { reportStep } from '../reports/report-spans.js';
import { beforeStep, refuseCancelled } from '../task/before-step.js';
import type { TaskRun } from '../task/task-run.js';
import { withHandlers } from './error-handlers.js';
import { evaluateCondition } from './evaluate.js';
import { type Frame, frameInside, type StepEnd } from './frame.js';
import { withCleanup, withRetry, withTimeout } from './modifiers.js';
import { prepareUndo, runCall } from './run-call.js';
import { runVerb } from './run-verb.js';
import { EndOfTask, Halted, isStepFailure, locate, stepStatusOf } from './step-failure.js';

/**
 * Runs one step with its modifiers, from the inside out: retry, timeout, on_error, finally, continue_on_error.
 * Never repeats a completed one. Source: docs/architecture.md#the-way-of-a-task;
 * docs/workflow-language.md#failures. @throws StepFailure if unhandled; EndOfTask; Halted; cancellation.
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
    const resumed = frame.isCleanup ? undefined : beforeStep(run.life, frame.halt);
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

function runModified(step: PlanStep, path: string, frame: Frame): Promise<Json> | Json {
  return withCleanup(step, frameInside(frame, path), () =>
    withHandlers(step, path, frame, () =>
      withTimeout(step, path, frame, () => withRetry(step, path, frame, (inside) => runPrepared(step, path, inside))),
    ),
  );
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
  // A run that winds up leaves halted steps unchanged: the next run continues them.
  if (error instanceof Halted && run.life.rollingOver) throw error;
  if (isStepFailure(error)) {
    const { problem } = locate(error, step.id, path);
    run.steps.note(path, step.id, { status: stepStatusOf(problem.code), output: null, error: problem });
    if (step.continue_on_error && isCatchable(problem.code)) return { ran: true, output: null };
  } else if (error instanceof Halted || isCancellation(error)) {
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
