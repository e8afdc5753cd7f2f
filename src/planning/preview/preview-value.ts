import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { AnswerPreview, ValuePreview } from '../../contracts/preview.js';
import { type Foreseen, foreseeExpression, foreseeMap, foreseeTemplate, type Known } from './foresee.js';

/** Parameters of a call: as shown, and as other expressions may look into them; undefined where nothing is known. */
export interface ForeseenInput {
  shown: ValuePreview;
  input: JsonObject | undefined;
}

/** Foresees what a call is given. */
export function foreseeInput(template: Json, known: Known): ForeseenInput {
  if (isJsonObject(template)) {
    const { value, shown, open, problem = null } = foreseeMap(template, known);
    return { shown: { value: shown, open, problem }, input: value };
  }
  const shown = previewValue(template, known);
  const isKnown = Object.keys(shown.open).length === 0 && !shown.problem && isJsonObject(shown.value);
  return { shown, input: isKnown ? (shown.value as JsonObject) : undefined };
}

/** Foresees a value, and a map member by member. */
export function previewValue(template: Json, known: Known): ValuePreview {
  if (isJsonObject(template)) {
    const { shown, open, problem = null } = foreseeMap(template, known);
    return { value: shown, open, problem };
  }
  const found = foreseeTemplate(template, known);
  if (found.is === 'known') return { value: found.value, open: {}, problem: null };
  if (found.is === 'open') return { value: template, open: { '': found.depends_on }, problem: null };
  return { value: template, open: {}, problem: found.problem };
}

/** Foresees bare CEL. */
export function previewExpression(expression: string, known: Known): AnswerPreview {
  return answerOf(expression, foreseeExpression(expression, known));
}

/** Foresees a condition, which fails where it gives neither true nor false. */
export function previewCondition(expression: string, known: Known): AnswerPreview {
  const answer = previewExpression(expression, known);
  if (answer.depends_on.length > 0 || answer.problem || typeof answer.value === 'boolean') return answer;
  const message = `\`${expression}\` gives ${JSON.stringify(answer.value)}, which is neither true nor false`;
  return {
    ...answer,
    value: null,
    problem: { code: 'expression.not_boolean', message, suggestion: 'Write a comparison.' },
  };
}

/** A text that may be a template, as far as it is known; else as it is written. */
export function foreseeText(template: string, known: Known): string {
  const found = foreseeTemplate(template, known);
  return found.is === 'known' && found.value !== null && typeof found.value !== 'object'
    ? String(found.value)
    : template;
}

function answerOf(expression: string, found: Foreseen): AnswerPreview {
  const nothing = { expression, value: null, depends_on: [], problem: null };
  if (found.is === 'known') return { ...nothing, value: found.value };
  return found.is === 'open' ? { ...nothing, depends_on: found.depends_on } : { ...nothing, problem: found.problem };
}
