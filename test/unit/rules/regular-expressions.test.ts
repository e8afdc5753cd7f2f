import { expect, test } from 'vitest';
import { compilePattern } from '../../../src/rules/regular-expressions.js';
import { errorOf } from '../error-of.js';

test('a pattern is found anywhere in a text', () => {
  expect(compilePattern('b+').matcher('abbc').find()).toBe(true);
  expect(compilePattern('^b').matcher('abbc').find()).toBe(false);
});

test.each(['(?=a)', '(?!a)', '(?<=a)b', '(a)\\1'])(
  '%s, which RE2 does not support, is refused with a suggestion',
  (pattern) => {
    const error = errorOf(() => compilePattern(pattern));
    expect(error.code).toBe('expression.failed');
    expect(error.suggestion).toMatch(/look-around/);
  },
);

test('a pattern made to hang other engines ends at once', () => {
  const started = performance.now();
  expect(
    compilePattern('^(a+)+$')
      .matcher(`${'a'.repeat(20_000)}!`)
      .find(),
  ).toBe(false);
  expect(performance.now() - started).toBeLessThan(2000);
});
