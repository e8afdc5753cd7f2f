import { uuid4 } from '@temporalio/workflow';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { parseDuration } from '../../rules/duration.js';
import { compileExpression, type Scope } from '../../rules/expressions/evaluate.js';
import { evaluateTemplate } from '../../rules/expressions/template.js';
import type { Frame } from './frame.js';
import { asStepFailure, StepFailure } from './step-failure.js';
import { withLinks } from './step-values.js';

/** Evaluates a bare condition. @throws StepFailure `expression.*`. */
export function evaluateCondition(source: string, frame: Frame): boolean {
  const value = evaluateExpression(source, frame);
  if (typeof value === 'boolean') return value;
  throw new StepFailure({
    code: 'expression.not_boolean',
    message: `\`${source}\` gives ${JSON.stringify(value)}, which is neither true nor false`,
    suggestion: 'Write a comparison.',
  });
}

/** Evaluates the `${{ }}` in a value. @throws StepFailure `expression.*`. */
export function evaluate(template: Json, frame: Frame): Json {
  return guarded(() => evaluateTemplate(template, scopeOf(frame)));
}

/**
 * Evaluates a duration that may be a template. @returns milliseconds. @throws StepFailure `expression.not_duration`.
 */
export function evaluateDuration(template: string, frame: Frame): number {
  return guarded(() => parseDuration(template.includes('${{') ? evaluate(template, frame) : template));
}

/** Evaluates a text. @throws StepFailure `expression.not_text`. */
export function evaluateText(template: string, frame: Frame): string {
  const value = evaluate(template, frame);
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const message = `\`${template}\` gives ${JSON.stringify(value)}, which is no text`;
  throw new StepFailure({ code: 'expression.not_text', message });
}

/** Evaluates bare CEL to any value. @throws StepFailure `expression.*`. */
export function evaluateExpression(source: string, frame: Frame): Json {
  const scope = scopeOf(frame);
  return guarded(() => compileExpression(source).evaluate(scope)) ?? null;
}

/** Evaluates a whole number from 1 that may be a template. @throws StepFailure `expression.not_number`. */
export function evaluateCount(template: number | string, frame: Frame): number {
  const value = typeof template === 'number' ? template : evaluate(template, frame);
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  const message = `\`${template}\` gives ${JSON.stringify(value)}, which is no whole number from 1`;
  throw new StepFailure({ code: 'expression.not_number', message });
}

/** Evaluates the parameters of a call. @throws StepFailure `expression.*`, `input.invalid`. */
export function evaluateParameters(template: Json, call: string, frame: Frame): JsonObject {
  const input = evaluate(template, frame);
  if (isJsonObject(input)) return input;
  const message = `\`with\` of ${call} gives ${JSON.stringify(input).slice(0, 100)}, which is no map`;
  throw new StepFailure({ code: 'input.invalid', message, suggestion: 'Use a map of parameters.' });
}

/** Source: docs/workflow-language.md#expressions; docs/definitions.md#high-level-abilities. */
function scopeOf({ run, prefix, names, own }: Frame): Scope {
  const { task, life, input, steps } = run;
  const { environment, ability, links } = task.plan;
  const { name, protected: isProtected, vars } = environment;
  const seen = steps.values.at(prefix);
  if (own) seen[own.id] = own.value;
  return {
    values: {
      ...names,
      input: input.value,
      steps: links ? withLinks(seen) : seen,
      environment: { name, protected: isProtected, vars },
      task: {
        key: task.key,
        ability: ability.id,
        started_at: task.shifted(life.startedAt ?? task.createdAt),
        status: life.ending?.status ?? life.state,
        error: (life.ending?.error ?? null) as Json,
      },
    },
    now: () => task.now(),
    uuid: () => uuid4(),
  };
}

function guarded<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw asStepFailure(error);
  }
}
