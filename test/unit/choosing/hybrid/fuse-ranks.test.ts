import { expect, test } from 'vitest';
import { fuseRanks } from '../../../../src/choosing/fuse-ranks.js';

test('each place counts 1 / (60 + place): second in both beats first in one and seventh in the other', () => {
  // 1/61 + 1/67 = 0.03132 < 1/62 + 1/62 = 0.03226
  const one = ['first', 'both', 'c', 'd', 'e', 'f', 'g'];
  const other = ['h', 'both', 'i', 'j', 'k', 'l', 'first'];
  expect(fuseRanks([one, other]).slice(0, 2)).toEqual(['both', 'first']);
  // 1/61 + 1/63 = 0.032266 > 1/62 + 1/62 = 0.032258
  expect(
    fuseRanks([
      ['first', 'both'],
      ['x', 'both', 'first'],
    ])[0],
  ).toBe('first');
});

test('what stands in one ranking only comes after what stands high in both', () => {
  expect(
    fuseRanks([
      ['a', 'b'],
      ['c', 'b'],
    ]),
  ).toEqual(['b', 'a', 'c']);
});

test('ties keep the order of the first ranking, and nothing is lost or doubled', () => {
  expect(
    fuseRanks([
      ['a', 'b'],
      ['b', 'a'],
    ]),
  ).toEqual(['a', 'b']);
  expect(fuseRanks([[], ['a']])).toEqual(['a']);
  expect(fuseRanks([])).toEqual([]);
});
