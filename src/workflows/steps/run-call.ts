import type { Json } from '../../contracts/json.js';
import type { CallStep, PlanOperation, PlanRetry } from '../../contracts/plan.js';
import { callOperation, type OperationCall } from '../call-operation.js';
import { StepFailure } from '../step-failure.js';
import type { TaskRun } from '../task-run.js';
import { evaluate, evaluateDuration } from './evaluate.js';
import type { Frame } from './frame.js';

/** Evaluates what a call needs, and calls. */
export function runCall(run: TaskRun, step: CallStep, path: string, frame: Frame): Promise<Json> {
  const operation = run.start.plan.operations[step.call] as PlanOperation;
  const input = evaluate(run, step.with, frame);
  if (input === null || typeof input !== 'object' || Array.isArray(input)) {
    const message = `\`with\` of ${step.call} gives ${JSON.stringify(input)?.slice(0, 100)}, which is no map`;
    throw new StepFailure({ code: 'input.invalid', message, suggestion: 'Write a map of parameters.' });
  }
  const retry = step.retry && readRetry(run, step.retry, frame);
  const timeoutMs = step.timeout === undefined ? undefined : evaluateDuration(run, step.timeout, frame);
  return callOperation(run, {
    path,
    id: step.id,
    operation,
    input,
    retry,
    timeoutMs,
    halt: frame.halt,
    budget: frame.budget,
  });
}

function readRetry(run: TaskRun, { first, max, ...rest }: PlanRetry, frame: Frame): OperationCall['retry'] {
  return { ...rest, firstMs: evaluateDuration(run, first, frame), maxMs: evaluateDuration(run, max, frame) };
}
