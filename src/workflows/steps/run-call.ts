import type { Json } from '../../contracts/json.js';
import type { CallStep, PlanRetry } from '../../contracts/plan.js';
import type { StepProgress } from '../../contracts/task.js';
import { callOperation } from '../calls/call-operation.js';
import { callWorkflow } from '../calls/call-workflow.js';
import type { OperationCall } from '../calls/schedule-call.js';
import { evaluateDuration, evaluateParameters } from './evaluate.js';
import type { Frame } from './frame.js';
import { isStepFailure } from './step-failure.js';

/** Evaluates the input of a call, and calls: a low-level ability as an activity, a workflow as a child. */
export function runCall(step: CallStep, path: string, frame: Frame): Promise<Json> {
  const { run } = frame;
  const operation = run.task.plan.operations[step.call];
  const input = evaluateParameters(step.with, step.call, frame);
  const { halt, budget, groups } = frame;
  if (!operation) return callWorkflow(run, { path, id: step.id, ability: step.call, input, budget, groups });
  const retry = step.retry && readRetry(step.retry, frame);
  const timeoutMs = step.timeout === undefined ? undefined : evaluateDuration(step.timeout, frame);
  const mayBeCut = step.cut === 'allowed';
  return callOperation(run, { path, id: step.id, operation, input, retry, timeoutMs, mayBeCut, groups, halt, budget });
}

/** Notes how to undo a successful call, with its input evaluated now. Source: docs/workflow-language.md. */
export function prepareUndo(step: CallStep, path: string, frame: Frame, output: Json): void {
  const { run } = frame;
  if (!step.undo) return;
  const { call, with: template } = step.undo;
  const shown = run.steps.entry(path);
  run.steps.sequence += 1;
  run.steps.values.show(path, step.id, { ...shown, status: 'succeeded', output });
  run.steps.progress[`${path}.undo`] = {
    status: 'pending',
    call,
    sequence: run.steps.sequence,
    // It undoes this turn's call and does not see the last turn.
    undo: undoOf(template, call, { ...frame, own: undefined }),
  };
  run.steps.values.show(path, step.id, shown);
}

function undoOf(template: Json, call: string, frame: Frame): StepProgress['undo'] {
  try {
    return { with: evaluateParameters(template, call, frame) };
  } catch (error) {
    if (!isStepFailure(error)) throw error;
    return { problem: error.problem };
  }
}

function readRetry({ first, max, ...rest }: PlanRetry, frame: Frame): OperationCall['retry'] {
  return { ...rest, firstMs: evaluateDuration(first, frame), maxMs: evaluateDuration(max, frame) };
}
