import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { parseDuration } from '../../rules/duration.js';
import { compileExpression } from '../../rules/expressions/evaluate.js';
import { evaluateTemplate } from '../../rules/expressions/template.js';
import type { TaskRun } from '../task/task-run.js';
import type { Frame } from './frame.js';
import { asStepFailure, StepFailure } from './step-failure.js';

/** Evaluates a bare condition. @throws StepFailure `expression.*`. */
export function evaluateCondition(run: TaskRun, source: string, frame: Frame): boolean {
  const value = evaluateExpression(run, source, frame);
  if (typeof value === 'boolean') return value;
  throw new StepFailure({
    code: 'expression.not_boolean',
    message: `\`${source}\` gives ${JSON.stringify(value)}, which is neither true nor false`,
    suggestion: 'Write a comparison.',
  });
}

/** Evaluates the `${{ }}` in a value. @throws StepFailure `expression.*`. */
export function evaluate(run: TaskRun, template: Json, frame: Frame): Json {
  return guarded(() => evaluateTemplate(template, run.scope(frame.prefix, frame.names, frame.own)));
}

/** Evaluates a duration that may be a template. @returns milliseconds. @throws StepFailure `expression.not_duration`. */
export function evaluateDuration(run: TaskRun, template: string, frame: Frame): number {
  return guarded(() => parseDuration(template.includes('${{') ? evaluate(run, template, frame) : template));
}

/** Evaluates a text. @throws StepFailure `expression.not_text`. */
export function evaluateText(run: TaskRun, template: string, frame: Frame): string {
  const value = evaluate(run, template, frame);
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const message = `\`${template}\` gives ${JSON.stringify(value)}, which is no text`;
  throw new StepFailure({ code: 'expression.not_text', message });
}

/** Evaluates bare CEL to whatever it gives. @throws StepFailure `expression.*`. */
export function evaluateExpression(run: TaskRun, source: string, frame: Frame): Json {
  const scope = run.scope(frame.prefix, frame.names, frame.own);
  return guarded(() => compileExpression(source, scope.cel).evaluate(scope)) ?? null;
}

/** Evaluates a whole number from 1 that may be a template. @throws StepFailure `expression.not_number`. */
export function evaluateCount(run: TaskRun, template: number | string, frame: Frame): number {
  const value = typeof template === 'number' ? template : evaluate(run, template, frame);
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  const message = `\`${template}\` gives ${JSON.stringify(value)}, which is no whole number from 1`;
  throw new StepFailure({ code: 'expression.not_number', message });
}

/** Evaluates the parameters of a call. @throws StepFailure `expression.*`, `input.invalid`. */
export function evaluateParameters(run: TaskRun, template: Json, call: string, frame: Frame): JsonObject {
  const input = evaluate(run, template, frame);
  if (isJsonObject(input)) return input;
  const message = `\`with\` of ${call} gives ${JSON.stringify(input).slice(0, 100)}, which is no map`;
  throw new StepFailure({ code: 'input.invalid', message, suggestion: 'Write a map of parameters.' });
}

function guarded<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw asStepFailure(error);
  }
}
