import type { UndoSubject } from '../../contracts/approvals.js';
import { isRepeatable } from '../../contracts/effects.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { CallStep, PlanOperation, PlanRetry, PlanUndo } from '../../contracts/plan.js';
import type { StepProgress } from '../../contracts/task.js';
import { canonicalJson } from '../../rules/canonical.js';
import { expressionsIn } from '../../rules/expressions/template.js';
import { earlierUndo } from '../../rules/steps/step-tree.js';
import { callOperation } from '../calls/call-operation.js';
import { callWorkflow } from '../calls/call-workflow.js';
import type { OperationCall } from '../calls/schedule-call.js';
import { evaluate, evaluateDuration, evaluateParameters } from './evaluate.js';
import type { Frame } from './frame.js';
import { isStepFailure } from './step-failure.js';

/** Evaluates the input of a call, and calls: a low-level ability as an activity, a workflow as a child. */
export function runCall(step: CallStep, path: string, frame: Frame): Promise<Json> {
  const { run } = frame;
  const operation = run.task.plan.operations[step.call];
  const input = evaluateParameters(step.with, step.call, frame);
  const { budget, groups } = frame;
  if (!operation) return callWorkflow(run, { path, id: step.id, ability: step.call, input, budget, groups });
  return callOperation(run, operationCallOf(step, path, frame, operation, input));
}

/** A call of a low-level ability, with what its step says. */
export function operationCallOf(
  step: CallStep,
  path: string,
  frame: Frame,
  operation: PlanOperation,
  input: JsonObject,
): OperationCall {
  const { branchStop, budget, groups } = frame;
  const retry = step.retry && readRetry(step.retry, frame);
  const timeoutMs = step.timeout === undefined ? undefined : evaluateDuration(step.timeout, frame);
  const mayBeCut = step.cut === 'allowed';
  const undo = step.undo && (() => shownUndo(step.undo as PlanUndo, step.id, frame));
  const listed = frame.listed?.path === path ? frame.listed : undefined;
  return { path, id: step.id, operation, input, retry, timeoutMs, mayBeCut, undo, listed, groups, branchStop, budget };
}

/** As far as it is known before the call; texts that read its answer, or that fail now, as written. */
function shownUndo({ call, with: template, approval }: PlanUndo, id: string, frame: Frame): UndoSubject {
  const shown = (value: Json): Json => {
    const reads = expressionsIn(value).flatMap(({ references }) => references);
    if (reads.some(({ name, path: [step] }) => name === 'steps' && (step === undefined || step === id))) return value;
    try {
      return evaluate(value, frame);
    } catch (error) {
      if (isStepFailure(error)) return value;
      throw error;
    }
  };
  const { effects } = frame.run.task.plan.operations[call] as PlanOperation;
  const input = isJsonObject(template)
    ? Object.fromEntries(Object.entries(template).map(([name, value]) => [name, shown(value)]))
    : shown(template);
  return { ability: call, effects, input, ...(approval && { approval }) };
}

/** Notes how to undo a successful call, with its input evaluated now. */
export function prepareUndo(step: CallStep, path: string, frame: Frame, output: Json): void {
  const { run } = frame;
  if (!step.undo) return;
  const { call, with: template, approval } = step.undo;
  const at = `${path}.undo`;
  const shown = run.steps.entry(path);
  run.steps.sequence += 1;
  run.steps.values.show(path, step.id, { ...shown, status: 'succeeded', output });
  // It undoes this turn's call and does not see the last turn.
  const undo = undoOf(template, call, { ...frame, own: undefined });
  const before = run.steps.progress[at];
  const operation = run.task.plan.operations[step.call];
  // If the call of an earlier attempt of its group had no effect of its own, one undo is enough.
  const isSame = (other: StepProgress): boolean =>
    operation !== undefined && isRepeatable(operation.effects) && canonicalJson(other.undo) === canonicalJson(undo);
  if (before?.status === 'pending' && !isSame(before)) {
    run.steps.progress[earlierUndo(path, run.steps.progress)] = before;
  }
  run.steps.progress[at] = {
    status: 'pending',
    call,
    sequence: run.steps.sequence,
    undo,
    ...(approval && { approval }),
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
