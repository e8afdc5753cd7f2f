import { isCancellation } from '@temporalio/workflow';
import type { Json } from '../../contracts/json.js';
import type { ErrorHandler, PlanOperation } from '../../contracts/plan.js';
import type { Handling } from '../../contracts/task.js';
import { runAgent } from '../agent/run-agent.js';
import { callOperation } from '../calls/call-operation.js';
import type { OperationCall } from '../calls/schedule-call.js';
import { fireAfter, type Hooked } from '../hooks/ask-hooks.js';
import { findHandler, handle, insteadOf } from '../steps/error-handlers.js';
import { evaluate } from '../steps/evaluate.js';
import { type Frame, runSteps } from '../steps/frame.js';
import { errorOfRollback, rollbackOf } from '../steps/rollback.js';
import { cleanupWarning, runCleanup } from '../steps/run-cleanup.js';
import { runUndo } from '../steps/run-undo.js';
import {
  asStepFailure,
  BranchStopped,
  EndOfTask,
  endStateOf,
  isStepFailure,
  isUnknown,
  keepFailure,
  keptFailure,
  type StepFailure,
  stepStatusOf,
} from '../steps/step-failure.js';
import type { Outcome } from './finish.js';
import type { TaskRun } from './task-run.js';

/** The task as a whole, as its hooks see it. */
export function aroundTask(run: TaskRun): Hooked {
  return { path: '', operation: undefined, input: run.input.value };
}

/**
 * In any case then undoes calls if needed, and cleans up. @throws BranchStopped when this run winds up. Source:
 * docs/workflow-language.md; docs/architecture.md#the-way-of-a-task.
 */
export async function runStepsAndCleanUp(frame: Frame): Promise<Outcome> {
  const { run } = frame;
  const { plan } = run.task;
  run.life.state = 'running';
  let outcome = await work(frame).catch((error: unknown) => {
    if (error instanceof BranchStopped && run.life.rollingOver) throw error;
    run.lost.explainCancellation(error);
    return outcomeOf(error);
  });
  run.life.ending = outcome;
  run.life.state = 'finishing';
  if (outcome.status !== 'succeeded') {
    await runUndo(run);
    outcome = afterUndo(run, outcome);
    run.life.ending = outcome;
  }
  if (plan.finally.length > 0) outcome = await cleanUp(frame, outcome);
  if (plan.ability.kind === 'workflow') await fireAfter(run, aroundTask(run), outcome);
  return outcome;
}

/** What was to be undone and was not makes the task fail, however it ended. */
function afterUndo(run: TaskRun, outcome: Outcome): Outcome {
  const { not_undone: left } = rollbackOf(run.steps.progress, run.rollbacks);
  if (!left) return outcome;
  const error = errorOfRollback(outcome.error, left);
  return { ...outcome, status: error.code === 'outcome.unknown' ? 'unknown' : 'failed', error };
}

async function work(frame: Frame): Promise<Outcome> {
  const { run } = frame;
  const { plan } = run.task;
  try {
    if (plan.ability.kind === 'operation') return succeeded(await callAlone(frame));
    if (plan.agent) return succeeded(await runAgent(frame));
    // Not awaited: a failure in a handler is final and bypasses this `catch`.
    if (run.life.handling) return goOnHandling(frame, run.life.handling);
    await runSteps(plan.steps, frame);
    return succeeded(plan.output === undefined ? null : evaluate(plan.output, frame));
  } catch (error) {
    if (error instanceof EndOfTask) return endedEarly(error);
    return recover(frame, error);
  }
}

/** @throws the failure if no handler matches. */
async function recover(frame: Frame, error: unknown): Promise<Outcome> {
  const { run } = frame;
  const handlers = run.task.plan.on_error;
  if (!handlers || !isStepFailure(error)) throw error;
  const index = findHandler(handlers, error.problem.code);
  if (index === undefined) throw error;
  run.life.handling = { handler: index, ...keepFailure(error) };
  return recoverWith(frame, handlers[index] as ErrorHandler, error);
}

/** Continues handling a failure from an earlier run. */
function goOnHandling(frame: Frame, { handler, ...failure }: Handling): Promise<Outcome> {
  const { run } = frame;
  for (const step of run.task.plan.steps) if (run.steps.progress[step.id]) run.steps.recall(step, step.id);
  return recoverWith(frame, run.task.plan.on_error?.[handler] as ErrorHandler, keptFailure(failure));
}

async function recoverWith(frame: Frame, handler: ErrorHandler, error: StepFailure): Promise<Outcome> {
  const { run } = frame;
  run.life.ending = { status: 'running', error: error.problem };
  try {
    return succeeded(await handle(handler, error, frame));
  } catch (inner) {
    if (inner instanceof EndOfTask) return endedEarly(inner);
    throw insteadOf(inner, error);
  } finally {
    run.life.ending = undefined;
  }
}

/** Of a low-level ability. */
export function loneCall({ run, branchStop, budget, groups }: Frame): OperationCall {
  const { ability, operations } = run.task.plan;
  const operation = operations[ability.id] as PlanOperation;
  const alone = { path: 'run', id: 'run', retry: undefined, timeoutMs: undefined, mayBeCut: false };
  return { ...alone, operation, input: run.input.value, groups, branchStop, budget };
}

/** A low-level ability is one call of itself. */
async function callAlone(frame: Frame): Promise<Json> {
  const { run } = frame;
  const path = 'run';
  const done = run.steps.progress[path];
  if (done?.status === 'succeeded') return done.output ?? null;
  try {
    const output = await callOperation(run, loneCall(frame));
    run.steps.note(path, path, { status: 'succeeded', output });
    return output;
  } catch (error) {
    if (isStepFailure(error)) {
      error.problem.step ??= path;
      run.steps.note(path, path, { status: stepStatusOf(error.problem.code), output: null, error: error.problem });
    } else run.steps.note(path, path, { status: isCancellation(error) ? 'cancelled' : 'failed', output: null });
    throw error;
  }
}

function succeeded(output: Json): Outcome {
  return { status: 'succeeded', output, error: null };
}

/** `end` is a success, unless a `finally` failed on its way. */
function endedEarly({ output, failure }: EndOfTask): Outcome {
  return failure ? uncleaned(failure) : succeeded(output);
}

function uncleaned(failure: StepFailure): Outcome {
  const status = isUnknown(failure) ? 'unknown' : 'failed';
  return { status, output: null, error: failure.problem };
}

/** A failed clean-up fails a succeeded task, else warns. Source: docs/workflow-language.md#branching-and-ending. */
async function cleanUp(frame: Frame, outcome: Outcome): Promise<Outcome> {
  const { run } = frame;
  try {
    const failure = await runCleanup(run.task.plan.finally, frame);
    run.life.cleanupRan = failure?.problem.code !== 'timeout.cleanup';
    if (!failure) return outcome;
    if (outcome.status === 'succeeded') return uncleaned(failure);
    run.warnings.add(cleanupWarning(failure));
    return outcome;
  } catch (error) {
    run.life.cleanupRan = false;
    return outcome.status === 'succeeded' ? outcomeOf(error) : outcome;
  }
}

export function outcomeOf(thrown: unknown): Outcome {
  const error = asStepFailure(thrown);
  if (isStepFailure(error)) return { status: endStateOf(error.problem.code), output: null, ...keepFailure(error) };
  if (isCancellation(error)) return { status: 'cancelled', output: null, error: null };
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { status: 'failed', output: null, error: { code: 'internal.error', message } };
}
