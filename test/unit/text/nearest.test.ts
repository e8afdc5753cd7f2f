import { expect, test } from 'vitest';
import { didYouMean, nearestNames } from '../../../src/text/nearest.js';

const ABILITIES = ['db.write.user_row', 'db.read.user_row', 'db.delete.user_row', 'signup_e2e_test', 'mcp.query.logs'];

test('a typing mistake still finds the name', () => {
  expect(nearestNames('signup_e2e_tets', ABILITIES)).toEqual(['signup_e2e_test']);
});

test('a part of a name finds the whole name', () => {
  expect(nearestNames('query.logs', ABILITIES)).toEqual(['mcp.query.logs']);
});

test('the nearest name comes first, and never more than three are returned', () => {
  expect(nearestNames('db.write.user_rom', ABILITIES)[0]).toBe('db.write.user_row');
  expect(nearestNames('name', ['name1', 'name2', 'name3', 'name4', 'name5'])).toHaveLength(3);
});

test('a name unlike all of them finds none', () => {
  expect(nearestNames('frobnicate', ABILITIES)).toEqual([]);
  expect(didYouMean('frobnicate', ABILITIES)).toBeUndefined();
});

test('names are offered as a question', () => {
  expect(didYouMean('wiht', ['with', 'if'])).toBe('Did you mean with?');
  expect(didYouMean('ab', ['ab1', 'ab2'])).toBe('Did you mean ab1 or ab2?');
  expect(didYouMean('ab', ['ab3', 'ab1', 'ab2'])).toBe('Did you mean ab1, ab2 or ab3?');
});
