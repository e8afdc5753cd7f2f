import type { Json, JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { memoizeText } from '../../text/memoize.js';
import { compileExpression, type Expression, type Scope } from './evaluate.js';
import { splitText } from './split-text.js';

type Piece = string | Expression;

/**
 * Evaluates every `${{ }}` in a value. A lone one keeps its type; one inside text must yield a string, number or
 * boolean. A member whose lone expression is an absent optional (`${{ input.?note }}`) is left out.
 * @throws AbilityError of the family `expression`.
 */
export function evaluateTemplate(template: Json, scope: Scope): Json {
  return evaluateOptional(template, scope) ?? null;
}

/** Like {@link evaluateTemplate}, but undefined for a lone expression whose result is an absent optional. */
export function evaluateOptional(template: Json, scope: Scope): Json | undefined {
  if (typeof template === 'string') return evaluateText(template, scope);
  if (template === null || typeof template !== 'object') return template;
  if (Array.isArray(template)) return template.map((item) => evaluateTemplate(item, scope));
  const object: JsonObject = {};
  for (const [key, item] of Object.entries(template)) {
    const value = evaluateOptional(item, scope);
    if (value !== undefined) object[key] = value;
  }
  return object;
}

function evaluateText(text: string, scope: Scope): Json | undefined {
  const parts = cut(text);
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return typeof only === 'string' ? only : only.evaluate(scope);
  return parts.map((part) => (typeof part === 'string' ? part : asText(part, part.evaluate(scope)))).join('');
}

function asText(expression: Expression, value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new AbilityError({
    code: 'expression.not_text',
    message: `\`${expression.source}\` gives ${kindOf(value)}, which cannot be inserted into text`,
    suggestion: 'Use the ${{ }} alone to keep its type, or choose one of its fields.',
  });
}

function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : 'a map';
}

/** In document order. @throws AbilityError `expression.syntax`. */
export function expressionsIn(template: Json | undefined): Expression[] {
  if (typeof template === 'string') return cut(template).filter((part) => typeof part !== 'string');
  if (template === null || typeof template !== 'object') return [];
  return Object.values(template).flatMap((item) => expressionsIn(item));
}

const cut = memoizeText(2000, (text): Piece[] =>
  splitText(text).map((part) => (typeof part === 'string' ? part : compileExpression(part.source))),
);
