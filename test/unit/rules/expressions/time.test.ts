import { expect, test } from 'vitest';
import type { Json } from '../../../../src/contracts/json.js';
import { compileExpression } from '../../../../src/rules/expressions/evaluate.js';

const MOST_MS = 100;

const l = Array.from({ length: 1000 }, (_, index) => index);
const t = 'x'.repeat(100_000);

/** Compiles and evaluates. @returns the least processor time of three, in milliseconds: others share the machine. */
function timeOf(source: string, values: Record<string, Json>): number {
  const once = (): number => {
    const before = process.cpuUsage();
    try {
      compileExpression(source).evaluate({ values });
    } catch {
      // Only the time counts here.
    }
    return process.cpuUsage(before).user / 1000;
  };
  return Math.min(once(), once(), once());
}

test.each([
  ['macros in macros', 'l.all(a, l.all(b, l.all(c, a + b + c >= 0)))', { l }],
  ['macros that build lists', 'l.map(a, l.map(b, l.map(c, a * b * c)))', { l }],
  ['membership in a big list', 'l.filter(a, l.exists(b, b == a && b in l))', { l }],
  ['equality of big lists', 'l.all(a, l == l)', { l }],
  ['a regular expression that backtracks elsewhere', `t.matches('^(x+)+$') && !t.matches('(x|xx)*y')`, { t: `${t}!` }],
  ['a regular expression in a macro', `l.all(a, t.matches('(x+x+)+y'))`, { l, t }],
  ['a regular expression with big counts', `t.matches('((x{1,30}){1,30}){1,2}y')`, { t }],
  ['splits and joins', `l.all(a, size(t.split('').map(c, c + c).join('')) > 0)`, { l, t }],
  ['text that doubles', `l.map(a, t + t + t + t).all(x, size(x) > 0)`, { l, t }],
  ['deep brackets', `${'('.repeat(1000)}1${')'.repeat(1000)}`, {}],
  ['a long sum', Array(2000).fill('1').join('+'), {}],
  ['a long chain of conditions', `${'true ? '.repeat(300)}1${' : 0'.repeat(300)}`, {}],
])('%s: no more than 100 ms', (_, source, values: Record<string, Json>) => {
  expect(timeOf(source, values)).toBeLessThan(MOST_MS);
});
