import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesAnyGlob, matchesGlob } from '../../../src/text/glob.js';

test.each([
  ['ops.*', 'ops.run', true],
  ['ops.*', 'ops.', true],
  ['ops.*', 'opsx', false],
  ['*', '', true],
  ['', '', true],
  ['', 'a', false],
  ['a', '', false],
  ['*.user_row', 'db.write.user_row', true],
  ['db.*.user_row', 'db.write.user_row', true],
  ['db.*.user_row', 'db.write.user_rows', false],
  ['a*b*c', 'a-b-b-c', true],
  ['a**c', 'abc', true],
  ['modules/grading.*', 'modules/grading.math', true],
])('%j on %j: %s', (pattern, name, fits) => {
  expect(matchesGlob(pattern, name)).toBe(fits);
});

test('only the star is special', () => {
  for (const pattern of ['a.c', 'a?c', '[abc]', 'a+', '(a)']) {
    expect(matchesGlob(pattern, 'abc')).toBe(false);
    expect(matchesGlob(pattern, pattern)).toBe(true);
  }
});

test('a pattern agrees with the equivalent regular expression', () => {
  const pieces = fc.array(fc.constantFrom('a', 'b', '.', '*'), { maxLength: 8 }).map((list) => list.join(''));
  const name = fc.array(fc.constantFrom('a', 'b', '.'), { maxLength: 8 }).map((list) => list.join(''));
  fc.assert(
    fc.property(pieces, name, (pattern, text) => {
      const expression = pattern.replaceAll('.', '\\.').replaceAll('*', '.*');
      expect(matchesGlob(pattern, text)).toBe(new RegExp(`^${expression}$`).test(text));
    }),
  );
});

test('a hostile pattern ends at once', () => {
  const started = performance.now();
  expect(matchesGlob(`${'a*'.repeat(2000)}b`, 'a'.repeat(4000))).toBe(false);
  expect(performance.now() - started).toBeLessThan(1000);
});

test('matching one of several patterns is enough', () => {
  expect(matchesAnyGlob(['x', 'db.*'], 'db.read')).toBe(true);
  expect(matchesAnyGlob([], 'db.read')).toBe(false);
});
