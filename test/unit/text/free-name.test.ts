import { expect, test } from 'vitest';
import { freeName } from '../../../src/text/free-name.js';

test.each([
  [[], 'key'],
  [['other'], 'key'],
  [['key'], 'key_2'],
  [['key', 'key_2', 'key_4'], 'key_3'],
])('beside %j it is %s', (taken, free) => {
  expect(freeName('key', (name) => taken.some((other) => other === name))).toBe(free);
});
