import fc from 'fast-check';
import { expect, test } from 'vitest';
import { refuseUnsafeKeys } from '../../../src/rules/unsafe-keys.js';
import { errorOf } from '../error-of.js';

test.each(['__proto__', 'constructor', 'prototype'])('the key %s is refused wherever it occurs', (key) => {
  const hostile: unknown = JSON.parse(`{"rows": [{"ok": 1}, {"deep": {"${key}": {}}}]}`);
  const error = errorOf(() => refuseUnsafeKeys(hostile));
  expect(error.code).toBe('input.invalid');
  expect(error.message).toContain(`rows[1].deep.${key}`);
});

test('the caller chooses the code', () => {
  const hostile: unknown = JSON.parse('{"__proto__": 1}');
  expect(errorOf(() => refuseUnsafeKeys(hostile, 'definition.invalid')).code).toBe('definition.invalid');
});

test('values are unrestricted: only keys are refused', () => {
  refuseUnsafeKeys({ name: '__proto__', list: ['constructor', 'prototype'] });
});

test('any JSON without those keys passes', () => {
  const key = fc.string().filter((text) => !['__proto__', 'constructor', 'prototype'].includes(text));
  fc.assert(fc.property(fc.dictionary(key, fc.integer()), (value) => refuseUnsafeKeys(value)));
});

test('a value of 200 levels passes, and one more is refused', () => {
  const levels = (count: number): unknown => JSON.parse('['.repeat(count + 1) + ']'.repeat(count + 1));
  refuseUnsafeKeys(levels(200));
  expect(errorOf(() => refuseUnsafeKeys(levels(201))).code).toBe('input.invalid');
});

test('a number that JSON cannot represent is refused, with its location if it has one', () => {
  expect(errorOf(() => refuseUnsafeKeys({ n: [1, Number.POSITIVE_INFINITY] }))).toMatchObject({
    message: expect.stringContaining('(at n[1])'),
    details: { path: ['n', 1] },
  });
  expect(errorOf(() => refuseUnsafeKeys(Number.NaN)).message).not.toContain('(at');
});

test('a value nested too deeply to traverse is refused, however deep it is', () => {
  const deep: unknown = JSON.parse('['.repeat(5000) + ']'.repeat(5000));
  expect(errorOf(() => refuseUnsafeKeys(deep)).message).toMatch(/200 levels/);
});

test('an integer that may have been another is refused where values have to be exact', () => {
  expect(errorOf(() => refuseUnsafeKeys({ id: 1n })).message).toContain('(at id)');
  for (const id of [2 ** 53, -(2 ** 53), 123456789012345680000]) {
    refuseUnsafeKeys({ rows: [{ id }] });
    expect(errorOf(() => refuseUnsafeKeys({ rows: [{ id }] }, 'input.invalid', true))).toMatchObject({
      code: 'input.invalid',
      message: expect.stringContaining('(at rows[0].id)'),
    });
  }
  refuseUnsafeKeys([2 ** 53 - 1, 6.02214076e23, 1e300, 0.5], 'input.invalid', true);
});
