import { expect, test } from 'vitest';
import { evaluateCondition } from '../../../../src/rules/expressions/evaluate.js';
import { errorOf } from '../../error-of.js';

test.each([
  ['x == 1', true],
  ['x == 2', false],
])('%s is %s', (source, is) => {
  expect(evaluateCondition(source, { x: 1 })).toBe(is);
});

test.each(['"error"', 'x', 'null', '[true]'])('%s is neither true nor false, and is refused', (source) => {
  const error = errorOf(() => evaluateCondition(source, { x: 1 }));
  expect(error.code).toBe('expression.not_boolean');
  expect(error.message).toContain(source);
});
