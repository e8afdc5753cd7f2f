import './dates.js';
import type { ASTNode } from '@marcbachmann/cel-js';
import { TypeError as CelTypeError, Environment, EvaluationError, ParseError, serialize } from '@marcbachmann/cel-js';
import { FIRST_CEL } from '../../../contracts/names.js';
import { AbilityError } from '../../../contracts/problem.js';
import { compilePattern } from '../../regular-expressions.js';
import type { Expression, Scope } from '../expression.js';
import { failed, notValid, unavailable } from '../expression-errors.js';
import { EXCEEDED, EXPRESSION_LIMITS, tooCostly } from '../limits.js';
import { functionsOf, referencesOf } from '../names-read.js';
import type { Node } from '../syntax/node.js';
import { writeExpression } from '../write.js';
import { INSTRUMENTS, instrument, withoutInstruments } from './instrument.js';
import { fromCel, toCel } from './values.js';
import { VisitBudget } from './visit-budget.js';

const OPTIONS = {
  unlistedVariablesAreDyn: true,
  homogeneousAggregateLiterals: false,
  enableOptionalTypes: true,
  limits: { maxDepth: EXPRESSION_LIMITS.depth, maxAstNodes: EXPRESSION_LIMITS.nodes },
} as const;

/** The current evaluation, for its instruments. A global works since evaluation is synchronous. */
let current: { budget: VisitBudget; scope: Scope } | undefined;

/** The CEL library, configured once to parse user expressions, and once to run instrumented ones. */
interface Library {
  syntax: Environment;
  runtime: Environment;
}

let made: Library | undefined;

/** Created on first use: only plans of earlier versions need it. */
function library(): Library {
  made ??= { syntax: withFunctions(new Environment(OPTIONS)), runtime: withInstruments(withFunctions(runtimeOf())) };
  return made;
}

function runtimeOf(): Environment {
  const limits = { maxDepth: EXPRESSION_LIMITS.depth * 4, maxAstNodes: EXPRESSION_LIMITS.nodes * 4 };
  return new Environment({ ...OPTIONS, limits });
}

function withFunctions(environment: Environment): Environment {
  environment
    .registerFunction(
      'now(): google.protobuf.Timestamp',
      () => new Date(currentScope().now?.() ?? unavailable('now()')),
    )
    .registerFunction('uuid(): string', () => currentScope().uuid?.() ?? unavailable('uuid()'));
  for (const operator of ['+', '-', '*', '/'] as const) {
    const compute = arithmetic(operator);
    environment.registerOperator(`int ${operator} double: double`, compute);
    environment.registerOperator(`double ${operator} int: double`, compute);
  }
  return environment;
}

function withInstruments(environment: Environment): Environment {
  return environment
    .registerFunction(`${INSTRUMENTS.iterate}(dyn, int): dyn`, (value: unknown, visitsPerTurn: bigint) => {
      current?.budget.spendOn(value, Number(visitsPerTurn));
      return current && isCollection(value) ? current.budget.turnsOver(value) : value;
    })
    .registerFunction(`${INSTRUMENTS.read}(dyn): dyn`, (value: unknown) => {
      current?.budget.spendOn(value);
      return value;
    })
    .registerFunction(`${INSTRUMENTS.compare}(dyn): dyn`, (value: unknown) => {
      current?.budget.spendDeeplyOn(value);
      return value;
    })
    .registerFunction(`${INSTRUMENTS.matches}(dyn, dyn): bool`, matchesOnRe2);
}

/** Whether macros can iterate over a value. Optionals, timestamps and durations are objects, too. */
function isCollection(value: unknown): value is object {
  if (Array.isArray(value) || value instanceof Map) return true;
  if (value === null || typeof value !== 'object') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** For plans of 8.0.0 and 8.0.0+1. @throws AbilityError `expression.syntax` or `expression.too_costly`. */
export function compileEarlier(source: string): Expression {
  const { syntax, runtime } = library();
  const parsed = asSyntaxError(source, () => {
    const result = syntax.parse(source);
    const checked = result.check();
    if (!checked.valid && checked.error) throw checked.error;
    return result;
  });
  const instrumented = instrument(parsed.ast);
  const program = asSyntaxError(source, () => runtime.parse(writeExpression(instrumented)));
  return {
    source,
    references: referencesOf(parsed.ast),
    functions: functionsOf(parsed.ast),
    evaluate(scope) {
      const outer = current;
      const budget = new VisitBudget();
      current = { budget, scope };
      try {
        const names: Record<string, unknown> = Object.create(null);
        for (const [name, value] of Object.entries(scope.values)) if (value !== undefined) names[name] = toCel(value);
        const result = (scope.cel === FIRST_CEL ? asFirstRead(instrumented, program) : program)(names);
        if (budget.isExceeded) throw EXCEEDED;
        return fromCel(result);
      } catch (error) {
        throw budget.isExceeded ? EXCEEDED : asFailure(source, error);
      } finally {
        current = outer;
      }
    },
  };
}

type Program = ReturnType<Environment['parse']>;

const firstReadings = new WeakMap<Node, Program>();

/**
 * As plans of the first version read it, from the library's serializer, which loses necessary parentheses: a task
 * keeps its wrong value, or its history would not replay.
 */
function asFirstRead(instrumented: Node, program: Program): Program {
  const known = firstReadings.get(instrumented);
  if (known) return known;
  const text = serialize(instrumented as ASTNode);
  const first = text === writeExpression(instrumented) ? program : library().runtime.parse(text);
  firstReadings.set(instrumented, first);
  return first;
}

function asSyntaxError<T>(source: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof ParseError || error instanceof CelTypeError)) throw error;
    if (error.code === 'limit_exceeded') throw tooCostly(`is too large: ${error.summary}`);
    throw notValid(source, error.summary, error.range, error);
  }
}

function asFailure(source: string, error: unknown): AbilityError {
  if (error instanceof AbilityError) return error;
  if (error instanceof EvaluationError || error instanceof CelTypeError) {
    const isMissing = error.code === 'no_such_key' || error.code === 'unknown_variable';
    const where = error.node ? writeExpression(withoutInstruments(error.node as Node)) : undefined;
    return failed(source, error.summary, isMissing ? where : undefined, error);
  }
  return failed(source, error instanceof Error ? error.message : String(error), undefined, error);
}

function currentScope(): Scope {
  return current?.scope ?? { values: {} };
}

function matchesOnRe2(text: unknown, pattern: unknown): boolean {
  if (typeof text !== 'string' || typeof pattern !== 'string') {
    throw new AbilityError({
      code: 'expression.failed',
      message: 'matches() takes a text and a pattern, both strings',
    });
  }
  const program = compilePattern(pattern);
  current?.budget.spend(Math.ceil((text.length * program.programSize()) / 500));
  return program.matcher(text).find();
}

function arithmetic(operator: '+' | '-' | '*' | '/'): (left: unknown, right: unknown) => number {
  return (left, right) => {
    const [a, b] = [Number(left), Number(right)];
    if (operator === '+') return a + b;
    if (operator === '-') return a - b;
    return operator === '*' ? a * b : a / b;
  };
}
