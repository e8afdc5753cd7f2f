import './dates.js';
import type { ASTNode } from '@marcbachmann/cel-js';
import { TypeError as CelTypeError, Environment, EvaluationError, ParseError, serialize } from '@marcbachmann/cel-js';
import type { Json } from '../../contracts/json.js';
import { FIRST_CEL } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import { compilePattern } from '../regular-expressions.js';
import { EXCEEDED, EXPRESSION_LIMITS, tooCostly, VisitBudget } from './limits.js';
import { INSTRUMENTS, instrument, type Node, walk, withoutInstruments } from './rewrite.js';
import { fromCel, toCel } from './values.js';
import { writeExpression } from './write.js';

/** What an expression sees: its names, and the clock and chance of whoever evaluates it. */
export interface Scope {
  values: { [name: string]: Json | undefined };
  /** Milliseconds since 1970, for `now()`; without it `now()` is an error. */
  now?: () => number;
  /** A random UUID, for `uuid()`; without it `uuid()` is an error. */
  uuid?: () => string;
  /** The version a plan was made for, of `CEL_READ`; without it the one of this build. */
  cel?: string;
}

/** An expression ready to be evaluated, and the names it reads. */
export interface Expression {
  source: string;
  /** Names that are neither functions nor bound by a macro, with the member read of each, where it is a plain one. */
  references: Reference[];
  /** Names of the functions it calls that are no methods. */
  functions: string[];
  /** @throws AbilityError `expression.failed` or `expression.too_costly`. */
  evaluate(scope: Scope): Json | undefined;
}

/** A name an expression reads, such as `steps` with the path `['seed', 'output']`. */
export interface Reference {
  name: string;
  path: string[];
}

const OPTIONS = {
  unlistedVariablesAreDyn: true,
  homogeneousAggregateLiterals: false,
  enableOptionalTypes: true,
  limits: { maxDepth: EXPRESSION_LIMITS.depth, maxAstNodes: EXPRESSION_LIMITS.nodes },
} as const;

/** What the instruments of the evaluation under way report to; evaluation is synchronous. */
let current: { budget: VisitBudget; scope: Scope } | undefined;

const syntax = new Environment(OPTIONS);
const runtime = new Environment({
  ...OPTIONS,
  limits: { maxDepth: EXPRESSION_LIMITS.depth * 4, maxAstNodes: EXPRESSION_LIMITS.nodes * 4 },
});

for (const environment of [syntax, runtime]) {
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
}
runtime
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

/** Optionals, moments and durations are objects as well, and nothing goes through them. */
function isCollection(value: unknown): value is object {
  if (Array.isArray(value) || value instanceof Map) return true;
  if (value === null || typeof value !== 'object') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** The same language without evaluation: to look at expressions, and to ask what it makes of which types. */
export function dialect(): Environment {
  return syntax.clone();
}

const compiled = new Map<string, Expression>();
const MOST_KEPT = 2000;

/**
 * Reads a CEL expression.
 *
 * The same text gives the same object, so that a loop parses once. The same evaluator serves workflows, lint, plans
 * and hooks. Source: design, section 5; answers, 30 and 52.
 *
 * @throws AbilityError `expression.syntax` or `expression.too_costly`.
 */
export function compileExpression(source: string): Expression {
  const known = compiled.get(source);
  if (known) return known;
  const expression = compile(source);
  if (compiled.size >= MOST_KEPT) compiled.clear();
  compiled.set(source, expression);
  return expression;
}

function compile(source: string): Expression {
  if (source.length > EXPRESSION_LIMITS.characters) {
    throw tooCostly(`has more than ${EXPRESSION_LIMITS.characters} characters`);
  }
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

type Program = ReturnType<typeof runtime.parse>;

const firstReadings = new WeakMap<Node, Program>();

/**
 * An expression as plans of the first version read it: from the text of the library's own serializer, which leaves out
 * parentheses that matter. A task that began with the wrong value goes on with it, or its history would not replay.
 */
function asFirstRead(instrumented: Node, program: Program): Program {
  const known = firstReadings.get(instrumented);
  if (known) return known;
  const text = serialize(instrumented as ASTNode);
  const first = text === writeExpression(instrumented) ? program : runtime.parse(text);
  firstReadings.set(instrumented, first);
  return first;
}

function asSyntaxError<T>(source: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof ParseError || error instanceof CelTypeError)) throw error;
    if (error.code === 'limit_exceeded') throw tooCostly(`is too large: ${error.summary}`);
    throw new AbilityError(
      {
        code: 'expression.syntax',
        message: `The expression \`${shorten(source)}\` is not valid: ${error.summary}`,
        details: error.range ? { range: error.range } : undefined,
        suggestion: hintFor(source),
      },
      { cause: error },
    );
  }
}

/** Habits from other languages that CEL does not have. */
function hintFor(source: string): string {
  if (/(^|[^=!<>])=([^=]|$)/.test(source)) return 'Compare with `==`.';
  if (/\b(and|or|not)\b/.test(source)) return 'Write `&&`, `||` and `!`.';
  if (/===|!==/.test(source)) return 'Write `==` and `!=`.';
  if (/\?\?/.test(source)) return 'Write `input.?name.orValue(other)`.';
  if (/\?\./.test(source)) return 'Write `input.?name`, with the dot before the question mark.';
  return 'Write CEL, such as `steps.seed.output.status == "success"`.';
}

function asFailure(source: string, error: unknown): AbilityError {
  if (error instanceof AbilityError) return error;
  if (error instanceof EvaluationError || error instanceof CelTypeError) {
    const where = error.node ? writeExpression(withoutInstruments(error.node as Node)) : undefined;
    const missing = error.code === 'no_such_key' || error.code === 'unknown_variable';
    return new AbilityError(
      {
        code: 'expression.failed',
        message: missing
          ? `\`${where}\` does not exist (in \`${shorten(source)}\`)`
          : `\`${shorten(source)}\` cannot be evaluated: ${error.summary}`,
        suggestion: missing ? `Ask first: has(${where}), or write an optional such as input.?name.` : undefined,
      },
      { cause: error },
    );
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new AbilityError(
    { code: 'expression.failed', message: `\`${shorten(source)}\` cannot be evaluated: ${reason}` },
    { cause: error },
  );
}

function shorten(source: string): string {
  return source.length > 120 ? `${source.slice(0, 117)}...` : source;
}

function currentScope(): Scope {
  return current?.scope ?? { values: {} };
}

function unavailable(name: string): never {
  throw new AbilityError({
    code: 'expression.failed',
    message: `${name} is only known while a task runs`,
    suggestion: 'Use it in a step, not in a hook or a plan.',
  });
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

/** Names of CEL itself: its types, which `type(x) == int` compares with, and its namespaces. */
const CEL_NAMES: ReadonlySet<string> = new Set([
  ...['bool', 'bytes', 'double', 'dyn', 'int', 'list', 'map', 'null_type', 'string', 'type', 'uint'],
  ...['google', 'optional'],
]);

function functionsOf(ast: ASTNode): string[] {
  const functions: string[] = [];
  walk(ast, ({ op, args }) => {
    if (op === 'call') functions.push((args as [string, Node[]])[0]);
  });
  return functions;
}

/** Names bound by a macro and those of CEL itself are left out, so `input.rows.map(row, row.id)` reads only `input`. */
function referencesOf(ast: ASTNode): Reference[] {
  const bound = new Set<string>();
  walk(ast, ({ op, args }) => {
    if (op !== 'rcall') return;
    const [, , operands] = args as [string, Node, Node[]];
    const [variable] = operands;
    if (operands.length >= 2 && variable?.op === 'id') bound.add(variable.args as string);
  });
  const references: Reference[] = [];
  const chained = new Set<unknown>();
  walk(ast, (node) => {
    if (chained.has(node)) return;
    const path: string[] = [];
    let target = node;
    while (target.op === '.' || target.op === '.?') {
      const [next, name] = target.args as [Node, string];
      path.unshift(name);
      chained.add(next);
      target = next;
    }
    const isOurs = !bound.has(target.args as string) && !CEL_NAMES.has(target.args as string);
    if (target.op === 'id' && isOurs) {
      references.push({ name: target.args as string, path });
    }
  });
  return references;
}
