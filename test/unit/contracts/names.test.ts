import { describe, expect, test } from 'vitest';
import { PHASES } from '../../../src/contracts/hooks.js';
import {
  ABILITY_ID,
  ACTIVITIES,
  deleteIdOf,
  STEP_ID,
  taskQueueOf,
  USER_KEY,
  WORKFLOWS,
} from '../../../src/contracts/names.js';
import { AbilityError, formatLocation } from '../../../src/contracts/problem.js';

describe('our own names cannot be those of an ability or a task', () => {
  test.each([...Object.values(WORKFLOWS), ...Object.values(ACTIVITIES), ...PHASES])(
    '%s is not an ability id',
    (name) => {
      expect(ABILITY_ID.test(name)).toBe(false);
    },
  );

  test('the workflow id of a deletion is not a user key', () => {
    expect(deleteIdOf('k')).toBe('delete:k');
    expect(USER_KEY.test(deleteIdOf('k'))).toBe(false);
  });
});

test.each([
  ['nightly-17', true],
  ['a', true],
  ['1.2_3-4', true],
  ['-a', false],
  ['.a', false],
  ['a/b', false],
  ['a:b', false],
  ['a b', false],
  ['', false],
  ['a'.repeat(64), true],
  ['a'.repeat(65), false],
  ['a\n', false],
])('the key %j is a user key: %s', (key, can) => {
  expect(USER_KEY.test(key)).toBe(can);
});

test.each([
  ['seed', true],
  ['_a1', true],
  ['Seed_2', true],
  ['a-b', false],
  ['1a', false],
  ['', false],
])('the step id %j is valid: %s', (id, is) => {
  expect(STEP_ID.test(id)).toBe(is);
});

test('a queue name contains project, environment and placement', () => {
  expect(taskQueueOf('acme', 'staging', 'local')).toBe('acme-staging-local');
});

describe('an error', () => {
  test('becomes plain data for an answer, without unknown fields', () => {
    expect(new AbilityError({ code: 'a.b', message: 'm' }).toProblem()).toEqual({ code: 'a.b', message: 'm' });
    const full = { code: 'a.b', message: 'm', location: { file: 'f', line: 1 }, details: { x: 1 }, suggestion: 's' };
    expect(new AbilityError(full).toProblem()).toEqual(full);
  });

  test('keeps its cause', () => {
    const cause = new Error('deeper');
    expect(new AbilityError({ code: 'a.b', message: 'm' }, { cause }).cause).toBe(cause);
  });

  test('has a location as file:line:column, as far as it is known', () => {
    expect(formatLocation({ file: 'f', line: 3, column: 7 })).toBe('f:3:7');
    expect(formatLocation({ file: 'f', line: 3 })).toBe('f:3');
    expect(formatLocation({ file: 'f' })).toBe('f');
  });
});
