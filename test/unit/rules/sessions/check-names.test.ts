import { expect, test } from 'vitest';
import { checkRunId, checkScope } from '../../../../src/rules/sessions/session-refusals.js';
import { errorOf } from '../../error-of.js';

test.each(['r-1', 'A', '2026.11_x', 'a'.repeat(64)])('%s is a valid run id', (id) => {
  expect(checkRunId(id)).toBe(id);
});

test.each(['', '.', '..', '../r', 'a/b', '-a', 'a b', 'a'.repeat(65)])('%j is refused as a run id', (id) => {
  expect(errorOf(() => checkRunId(id)).code).toBe('usage.invalid');
});

test.each(['modules', 'modules/users', 'a.b/c-d'])('%s is a valid scope', (scope) => {
  expect(checkScope(scope)).toBe(scope);
});

test.each(['', '/', '/modules', 'modules/', 'modules//users', '../x', 'a/../b', 'a b'])(
  '%j is refused as a scope',
  (scope) => {
    expect(errorOf(() => checkScope(scope)).code).toBe('usage.invalid');
  },
);
