import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../src/contracts/json.js';
import { LINT_CODES } from '../../../../src/contracts/lint-codes.js';
import { AbilityError } from '../../../../src/contracts/problem.js';
import { canBe } from '../../../../src/lint/types/compare.js';
import { inferType } from '../../../../src/lint/types/infer.js';
import { asJson } from '../../../../src/lint/types/template-type.js';
import { type Diagnostic, NULL, type Type, typeOfValue, unite } from '../../../../src/lint/types/type.js';
import { typeOfInput } from '../../../../src/lint/types/type-of-schema.js';
import { compileExpression } from '../../../../src/rules/expressions/evaluate.js';

const SCHEMA: JsonObject = {
  type: 'object',
  additionalProperties: false,
  required: ['n', 'd', 's', 'b', 'z', 'l', 'ls', 'm', 'e', 'u'],
  properties: {
    n: { type: 'integer' },
    d: { type: 'number' },
    s: { type: 'string' },
    b: { type: 'boolean' },
    z: { type: 'null' },
    l: { type: 'array', items: { type: 'integer' } },
    ls: { type: 'array', items: { type: 'string' } },
    m: {
      type: 'object',
      additionalProperties: false,
      required: ['a'],
      properties: { a: { type: 'integer' }, o: { type: 'string' } },
    },
    e: { enum: ['x', 'y'] },
    u: { type: ['integer', 'string', 'null'] },
    o: { type: 'integer' },
  },
};

const input: fc.Arbitrary<JsonObject> = fc.record(
  {
    n: fc.integer({ min: -9, max: 9 }),
    d: fc.constantFrom(0.5, -2.5, 3),
    s: fc.constantFrom('', 'x', 'b c'),
    b: fc.boolean(),
    z: fc.constant(null),
    l: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 3 }),
    ls: fc.array(fc.constantFrom('x', 'q'), { minLength: 1, maxLength: 3 }),
    m: fc.record({ a: fc.nat(5), o: fc.constant('text') }, { requiredKeys: ['a'] }),
    e: fc.constantFrom('x', 'y'),
    u: fc.constantFrom<Json>(1, 'one', null),
    o: fc.nat(5),
  },
  { requiredKeys: ['n', 'd', 's', 'b', 'z', 'l', 'ls', 'm', 'e', 'u'] },
);

/** Each value that a field may have, combined with each of the others. */
const EVERY_WAY = [0.5, 3].flatMap((d) =>
  [1, 'one', null].flatMap((u) =>
    [{}, { o: 3 }].flatMap((more) =>
      [{}, { o: 'text' }].map((inner) => {
        return { n: 2, d, s: 'x', b: true, z: null, l: [1], ls: ['x'], m: { a: 1, ...inner }, e: 'x', u, ...more };
      }),
    ),
  ),
);

const FIELDS = [
  'n',
  'd',
  's',
  'b',
  'z',
  'l',
  'ls',
  'm',
  'e',
  'u',
  'o',
  'm.a',
  'm.o',
  'm.q',
  'nn',
  'l[0]',
  's.x',
  '?o',
  'm.?o',
];
const LITERALS = [
  '1',
  '2.5',
  "'x'",
  "'q'",
  'true',
  'null',
  '[1, 2]',
  "['x']",
  "{'a': 1}",
  "duration('3s')",
  "timestamp('2026-01-01T00:00:00Z')",
];
const OPERATORS = ['+', '-', '*', '<', '>=', '==', '!=', 'in'];
const METHODS = [
  (one: string) => `size(${one})`,
  (one: string) => `string(${one})`,
  (one: string) => `double(${one})`,
  (one: string) => `type(${one}) == int`,
  (one: string) => `${one}.size()`,
  (one: string) => `${one}.lowerAscii()`,
  (one: string) => `${one}.startsWith('x')`,
  (one: string) => `${one}.matches('^x')`,
  (one: string) => `${one}.split(' ')`,
  (one: string) => `${one}.join(',')`,
  (one: string) => `${one}.map(i, i)`,
  (one: string) => `${one}.filter(i, i != 1)`,
  (one: string) => `${one}.exists(i, i == 1)`,
  (one: string) => `${one}.orValue(7)`,
  (one: string) => `${one}.hasValue()`,
  (one: string) => `!${one}`,
  (one: string) => `-${one}`,
  (one: string) => `[${one}]`,
  (one: string) => `{'k': ${one}}.k`,
];

/** Expressions over the input; `swallowing` ones may hide an error in a part. */
function expression(depth: number, swallowing: boolean): fc.Arbitrary<string> {
  const leaf = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...FIELDS.map((name) => `input.${name}`)) },
    { weight: 1, arbitrary: fc.constantFrom(...LITERALS) },
  );
  if (depth === 0) return leaf;
  const inner = expression(depth - 1, swallowing);
  const plain = [
    leaf,
    fc.tuple(inner, fc.constantFrom(...OPERATORS), inner).map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    fc.tuple(fc.constantFrom(...METHODS), inner).map(([method, one]) => method(`(${one})`)),
  ];
  if (!swallowing) return fc.oneof(...plain);
  return fc.oneof(
    ...plain,
    fc.tuple(inner, fc.constantFrom('&&', '||'), inner).map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    fc.tuple(inner, inner, inner).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc.constantFrom(
      '(has(input.o) ? input.o : 3)',
      "(has(input.m.o) && input.m.o == 'text')",
      '(!has(input.o) || input.o > 1)',
    ),
  );
}

const INPUT = typeOfInput(SCHEMA);

function infer(source: string): { type: Type; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const view = { typeOf: (name: string) => (name === 'input' ? INPUT : undefined), present: new Set<string>() };
  return { type: inferType(source, view, (diagnostic) => void diagnostics.push(diagnostic)), diagnostics };
}

const errorsAmong = (diagnostics: Diagnostic[]) =>
  diagnostics.filter(({ code }) => LINT_CODES[code].severity === 'error');

type Outcome = { value: Json | undefined } | { error: AbilityError };

function evaluate(source: string, value: JsonObject): Outcome | undefined {
  try {
    return { value: compileExpression(source).evaluate({ values: { input: value } }) };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return error.code === 'expression.syntax' ? undefined : { error };
  }
}

describe('the types of expressions', { timeout: 60_000 }, () => {
  test('an expression that evaluates has no error', () => {
    fc.assert(
      fc.property(expression(2, false), input, (source, value) => {
        const outcome = evaluate(source, value);
        if (outcome && 'value' in outcome) expect(errorsAmong(infer(source).diagnostics)).toEqual([]);
      }),
      { numRuns: 1500 },
    );
  });

  test('a value always has the inferred type', () => {
    fc.assert(
      fc.property(expression(3, true), input, (source, value) => {
        const outcome = evaluate(source, value);
        if (!outcome || 'error' in outcome) return;
        const { type } = infer(source);
        const wanted = type.some(({ kind }) => kind === 'optional') ? unite(asJson(type), NULL) : asJson(type);
        expect(
          canBe(typeOfValue(outcome.value ?? null), wanted),
          `${source} gives ${JSON.stringify(outcome.value)}`,
        ).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });

  test('an expression that fails for every input is reported', () => {
    fc.assert(
      fc.property(expression(2, false), (source) => {
        const outcomes = EVERY_WAY.map((value) => evaluate(source, value as JsonObject));
        const isBroken = outcomes.every((outcome) => outcome && 'error' in outcome && isOfTypes(outcome.error));
        // A value of several possible types is judged separately at each place, so two places that never agree are not
        // reported.
        const isUncertainTwice = (source.match(/input\.u\b/g) ?? []).length > 1;
        if (isBroken && !isUncertainTwice) expect(infer(source).diagnostics, source).not.toEqual([]);
      }),
      { numRuns: 1500 },
    );
  });
});

/** Excludes errors of values that have the right type, such as an index beyond the end or an invalid duration. */
function isOfTypes({ message }: AbilityError): boolean {
  return /no such overload|no matching overload|does not exist|must return bool|cannot be range/.test(message);
}
