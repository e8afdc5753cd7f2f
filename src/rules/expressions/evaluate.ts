import { AbilityError } from '../../contracts/problem.js';
import type { Expression, Scope } from './expression.js';
import { failed, noSuchFunction, notValid, unavailable } from './expression-errors.js';
import { compilePart, UnknownFunction } from './language/compile.js';
import { Cost } from './language/cost.js';
import { Failure } from './language/failure.js';
import type { Evaluation } from './language/part.js';
import { toJson } from './language/to-json.js';
import { EXCEEDED, EXPRESSION_LIMITS, tooCostly } from './limits.js';
import { functionsOf, referencesOf } from './names-read.js';
import { parseCel } from './syntax/parse.js';
import { SyntaxFailure } from './syntax/syntax-failure.js';
import { writeExpression } from './write.js';

export type { Expression, Reference, Scope } from './expression.js';

const compiled = new Map<string, Expression>();
const MAX_KEPT = 2000;

/**
 * The evaluator of workflows, lint, plans and hooks. Caches by text. Source: docs/workflow-language.md#expressions.
 * @throws AbilityError `expression.syntax` or `expression.too_costly`.
 */
export function compileExpression(source: string): Expression {
  const known = compiled.get(source);
  if (known) return known;
  if (source.length > EXPRESSION_LIMITS.characters) {
    throw tooCostly(`has more than ${EXPRESSION_LIMITS.characters} characters`);
  }
  const expression = compile(source);
  if (compiled.size >= MAX_KEPT) compiled.clear();
  compiled.set(source, expression);
  return expression;
}

function compile(source: string): Expression {
  const failures: Failure[] = [];
  const [tree, part] = asSyntaxError(source, () => {
    const parsed = parseCel(source);
    return [parsed, compilePart(parsed, { compile: compilePart, bound: [], failures })];
  });
  const [failure] = failures;
  if (failure)
    throw failure instanceof UnknownFunction
      ? noSuchFunction(failure.name, source)
      : notValid(source, failure.summary, undefined);
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
}

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
