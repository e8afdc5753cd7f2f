import { expect, test } from 'vitest';
import { covers, domainOfFolder } from '../../../../src/authoring/routing-documents/section-forms.js';

test.each<[string[], string[], boolean]>([
  [['users'], ['users'], true],
  [['users'], ['users.api'], true],
  [['users'], ['users/api'], true],
  [['users'], ['usersonly'], false],
  [['users.api'], ['users'], false],
  [['modules/users'], ['users.api'], true],
  [['users'], ['modules/users/api'], true],
  [['users.*'], ['users'], false],
  [['users.*'], ['users.api.v2'], true],
  [['integration/'], ['integration/test'], true],
  [['billing', 'users'], ['users.api', 'x'], true],
  [['users'], [], false],
  [['*'], [], true],
])('R-000-17: a document about %j covers an ability of %j: %s', (patterns, modules, expected) => {
  expect(covers(patterns, modules)).toBe(expected);
});

test('R-000-02, R-000-03: a document covers the module of its folder; the one at the root covers everything', () => {
  expect(domainOfFolder('modules/users')).toEqual(['modules/users']);
  expect(domainOfFolder('')).toEqual(['*']);
});
