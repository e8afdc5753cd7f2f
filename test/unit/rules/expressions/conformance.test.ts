import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../src/contracts/json.js';
import { compileExpression } from '../../../../src/rules/expressions/evaluate.js';

/**
 * A table with the kinds of cases in the CEL conformance suite; `npm run test:conformance` runs the suite
 * itself.
 */
const FAILS = Symbol('it fails');

const evaluate = (source: string): Json | undefined => compileExpression(source).evaluate({ values: {} });

type Row = readonly [source: string, value: Json | typeof FAILS];

function check([source, value]: Row): void {
  if (value === FAILS)
    expect(() => evaluate(source), source).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^expression\./) }),
    );
  else expect(evaluate(source), source).toEqual(value);
}

const TABLE: Record<string, readonly Row[]> = {
  'literals and escapes': [
    ['0x1F + 1', 32],
    ['.5 + 1.', FAILS],
    ['.5 + 1.5', 2],
    ['"\\u00e9\\U0001F600\\x41\\101"', 'é😀AA'],
    ["r'\\d' + '''a\nb'''", '\\da\nb'],
    ["'\\ud83d'", FAILS],
    ['-9223372036854775808 < 0', true],
    ['9223372036854775808', FAILS],
  ],
  'letters beyond U+FFFF': [
    ["'😀'", '😀'],
    ["size('a😀') == 2 && 'a😀b'.substring(2) == 'b'", true],
    ["'a😀b'.indexOf('b')", 2],
    ["'😀'.split('')", ['😀']],
    ["{'😀': 1}['😀']", 1],
    ["'\\uffff' < '😀'", true],
  ],
  'numbers of several kinds': [
    ['1 == 1.0', true],
    ['1u == 1 && 1.0 == 1u', true],
    ['1 < 1.5 && 2u > 1', true],
    ['[1, 2.0] == [1.0, 2]', true],
    ['2 in [1.0, 2.0]', true],
    ['{1: "a"}[1.0] + {2u: "b"}[2]', 'ab'],
    ['7 / 2', 3],
    ['-7 % 3', -1],
    ['1 / 0', FAILS],
    ['1.0 / 0.0 > 1.0', true],
    ['9223372036854775807 + 1', FAILS],
    ['-(-9223372036854775808)', FAILS],
  ],
  conversions: [
    ["string(timestamp('2026-01-02T03:04:05Z'))", '2026-01-02T03:04:05Z'],
    ["string(timestamp('2026-01-02T03:04:05.5+01:00'))", '2026-01-02T02:04:05.5Z'],
    ["string(duration('1h0.5s'))", '3600.5s'],
    ["int(timestamp('1970-01-01T00:01:00Z'))", 60],
    ['int(5u) + int(2.9) + int("-3")', 4],
    ["int('')", FAILS],
    ["int('0x10')", FAILS],
    ["double(' 1')", FAILS],
    ['int(1e19)', FAILS],
    ["bool('True') && !bool('f')", true],
    ['string(1.5) + string(true) + string(3u)', '1.5true3'],
    ['type(1) == int && type(1.0) == double && type(null) == null_type && type(type(1)) == type', true],
    ['type(timestamp(0)) == google.protobuf.Timestamp', true],
  ],
  'moments and durations': [
    ["timestamp('2026-02-30T00:00:00Z')", FAILS],
    ["timestamp('2024-02-29T00:00:00Z')", '2024-02-29T00:00:00.000Z'],
    ["timestamp('2026-01-01T24:00:00Z')", FAILS],
    ["timestamp('2026-01-01')", FAILS],
    ["timestamp('0000-12-31T00:00:00Z')", FAILS],
    ["timestamp('9999-12-31T23:59:59Z') + duration('1s')", FAILS],
    ["duration('1.5s').getMilliseconds()", 500],
    ["duration('90m').getHours() + duration('90m').getMinutes()", 91],
    ["timestamp('2026-03-01T00:00:00Z') - timestamp('2026-02-01T00:00:00Z') == duration('672h')", true],
    ["timestamp('1969-12-31T23:59:59.25Z').getMilliseconds()", 250],
    ["timestamp('2026-01-31T00:00:00Z').getDayOfYear() + timestamp('2026-01-31T00:00:00Z').getDayOfMonth()", 60],
    ["duration('1')", FAILS],
    ["duration('-1h30m') < duration('0')", true],
  ],
  'logic that outlives errors': [
    ['1 / 0 == 1 || true', true],
    ['false && 1 / 0 == 1', false],
    ['1 / 0 == 1 && false', false],
    ['1 / 0 == 1 || false', FAILS],
    ['[1, 0].exists(n, 2 / n == 2)', true],
    ['[0, 1].all(n, 2 / n == 3)', false],
    ['[0, 1].exists_one(n, 2 / n == 2)', FAILS],
    ['true ? 1 : 1 / 0', 1],
    ['1 < 2 == true', true],
  ],
  'lists and maps': [
    ['[].filter(e, e > 1)', []],
    ['{}.all(k, k > 1)', true],
    ['[1, 2, 3].map(n, n > 1, n * 2)', [4, 6]],
    ['[[1], [2]].map(l, l.map(n, n + l[0]))', [[2], [4]]],
    ['{"a": 1}.map(k, k)', ['a']],
    ['[1][1]', FAILS],
    ['[1][-1]', FAILS],
    ['[1][0.0]', 1],
    ['{"a": 1, "a": 2}', FAILS],
    ['{"a": {"b": null}}.a.b == null', true],
    ['has({"a": null}.a) && !has({"a": 1}.b)', true],
    ['1 == "1" || [1] == {"a": 1}', false],
    ['"a" in {"a": 1} && !(1 in {"a": 1})', true],
    ['{}.?a.?b.orValue(3)', 3],
    ['[1][?4].hasValue()', false],
  ],
  names: [
    ['if', FAILS],
    ['{"if": 1}.if', 1],
    ['{"a-b": 1}.`a-b`', 1],
    ['message{a: 1}', FAILS],
    ['frobnicate(1)', FAILS],
    ['1 + true', FAILS],
  ],
};

describe.each(Object.entries(TABLE))('%s', (_, rows) => {
  test.each(rows.map((row) => [row[0], row] as const))('%s', (_source, row) => check(row));
});
