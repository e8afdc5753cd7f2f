import { AbilityError } from '../../contracts/problem.js';
import { memoizeText } from '../../text/memoize.js';
import { shorten } from '../../text/shorten.js';
import type { Expression, Scope } from './expression.js';
import { compilePart, UnknownFunction } from './language/compile.js';
import { Cost, EXCEEDED, EXPRESSION_LIMITS, tooCostly } from './language/cost.js';
import { Failure } from './language/kinds.js';
import type { Evaluation } from './language/overloads.js';
import { toJson } from './language/to-json.js';
import { functionsOf, referencesOf } from './names-read.js';
import { type Range, SyntaxFailure } from './syntax/node.js';
import { parseCel } from './syntax/parse.js';
import { writeExpression } from './write.js';

export type { Expression, Reference, Scope } from './expression.js';

/**
 * The evaluator of workflows, lint, plans and hooks. Caches by text. Source: docs/workflow-language.md#expressions.
 * @throws AbilityError `expression.syntax` or `expression.too_costly`.
 */
export const compileExpression: (source: string) => Expression = memoizeText(2000, (source) => {
  if (source.length > EXPRESSION_LIMITS.characters) {
    throw tooCostly(`has more than ${EXPRESSION_LIMITS.characters} characters`);
  }
  const failures: Failure[] = [];
  const [tree, part] = asSyntaxError(source, () => {
    const parsed = parseCel(source);
    return [parsed, compilePart(parsed, { compile: compilePart, bound: [], failures })];
  });
  const [failure] = failures;
  if (failure)
    throw failure instanceof UnknownFunction ? noSuchFunction(failure.name, source) : notValid(source, failure.summary);
  return {
    source,
    references: referencesOf(tree),
    functions: functionsOf(tree),
    evaluate(scope) {
      const evaluation = evaluationIn(scope);
      try {
        return toJson(part.run(evaluation));
      } catch (error) {
        throw evaluation.cost.isExceeded ? EXCEEDED : asFailure(source, error);
      }
    },
  };
});

function evaluationIn({ values, now, uuid }: Scope): Evaluation {
  return {
    values,
    bound: [],
    cost: new Cost(),
    now: () => BigInt(Math.floor(now?.() ?? unavailable('now()'))) * 1_000_000n,
    uuid: () => uuid?.() ?? unavailable('uuid()'),
  };
}

function asSyntaxError<T>(source: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof SyntaxFailure ? notValid(source, error.summary, error.range) : error;
  }
}

function asFailure(source: string, error: unknown): AbilityError {
  if (error instanceof AbilityError) return error;
  if (error instanceof Failure) return failed(source, error.summary, error.missing && writeExpression(error.missing));
  return failed(source, error instanceof Error ? error.message : String(error), undefined, error);
}

/** The `expression.syntax` error for an invalid expression. */
function notValid(source: string, summary: string, range?: Range): AbilityError {
  return new AbilityError({
    code: 'expression.syntax',
    message: `The expression \`${shorten(source, 120)}\` is not valid: ${summary}`,
    details: range ? { range } : undefined,
    suggestion: hintFor(source),
  });
}

function hintFor(whole: string): string {
  // Not what stands in its texts.
  const source = whole.replaceAll(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, '""');
  if (/(^|[^=!<>])=([^=]|$)/.test(source)) return 'Compare with `==`.';
  if (/\b(and|or|not)\b/.test(source)) return 'Write `&&`, `||` and `!`.';
  if (/===|!==/.test(source)) return 'Write `==` and `!=`.';
  if (/\?\?/.test(source)) return 'Write `input.?name.orValue(other)`.';
  if (/\?\./.test(source)) return 'Write `input.?name`, with the dot before the question mark.';
  return 'Write CEL, such as `steps.seed.output.status == "success"`.';
}

/** The `expression.syntax` error for an unknown function. */
export function noSuchFunction(name: string, source?: string): AbilityError {
  const message = `There is no function ${name}`;
  return new AbilityError({
    code: 'expression.syntax',
    message: source === undefined ? message : `The expression \`${shorten(source, 120)}\` is not valid: ${message}`,
    suggestion:
      'Expressions have the functions and macros of CEL, split, join, lowerAscii, matches, sum, now and uuid.',
  });
}

/** `expression.failed`. @param missing the nonexistent name that it reads, as written. */
function failed(source: string, summary: string, missing: string | undefined, cause?: unknown): AbilityError {
  return new AbilityError(
    {
      code: 'expression.failed',
      message:
        missing === undefined
          ? `\`${shorten(source, 120)}\` cannot be evaluated: ${summary}`
          : `\`${missing}\` does not exist (in \`${shorten(source, 120)}\`)`,
      suggestion:
        missing === undefined ? undefined : `Check first with has(${missing}), or use an optional such as input.?name.`,
    },
    { cause },
  );
}

/** @throws AbilityError `expression.failed`, for a function that is not available in this place. */
function unavailable(name: string): never {
  throw new AbilityError({
    code: 'expression.failed',
    message: `${name} is available only while a task runs`,
    suggestion: 'Use it in a step, not in a hook or a plan.',
  });
}

/**
 * @param around the clock. @throws AbilityError `expression.*`;
 * `expression.not_boolean` for a result that is no boolean, so that no mistake counts as false.
 */
export function evaluateCondition(
  source: string,
  values: Scope['values'],
  around: Omit<Scope, 'values'> = {},
): boolean {
  const value = compileExpression(source).evaluate({ ...around, values });
  if (typeof value === 'boolean') return value;
  throw new AbilityError({
    code: 'expression.not_boolean',
    message: `\`${source}\` gives ${JSON.stringify(value)}, which is neither true nor false`,
    suggestion: 'Write a comparison.',
  });
}
