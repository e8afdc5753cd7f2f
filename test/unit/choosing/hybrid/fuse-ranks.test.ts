import { expect, test } from 'vitest';
import { fuseRanks } from '../../../../src/choosing/hybrid-ranker.js';

const fused = (...rankings: string[][]): string[] => fuseRanks(rankings.map((ids) => ({ ids, weight: 1 })));

test('each place counts 1 / (60 + place): second in both beats first in one and seventh in the other', () => {
  // 1/61 + 1/67 = 0.03132 < 1/62 + 1/62 = 0.03226
  const one = ['first', 'both', 'c', 'd', 'e', 'f', 'g'];
  const other = ['h', 'both', 'i', 'j', 'k', 'l', 'first'];
  expect(fused(one, other).slice(0, 2)).toEqual(['both', 'first']);
  // 1/61 + 1/63 = 0.032266 > 1/62 + 1/62 = 0.032258
  expect(fused(['first', 'both'], ['x', 'both', 'first'])[0]).toBe('first');
});

test('an entry of one ranking only comes after one that is high in both', () => {
  expect(fused(['a', 'b'], ['c', 'b'])).toEqual(['b', 'a', 'c']);
});

test('ties keep the order of the first ranking, and nothing is lost or duplicated', () => {
  expect(fused(['a', 'b'], ['b', 'a'])).toEqual(['a', 'b']);
  expect(fused([], ['a'])).toEqual(['a']);
  expect(fused()).toEqual([]);
});

test('a ranking with a weight of a tenth does not reverse the other one, but moves an entry past those that it lacks', () => {
  const light = { ids: ['c', 'b', 'a'], weight: 0.1 };
  // 1/61 + 0.1/63 = 0.01798 > 1/62 + 0.1/62 = 0.01774
  expect(fuseRanks([{ ids: ['a', 'b', 'c'], weight: 1 }, light])).toEqual(['a', 'b', 'c']);
  const many = ['w', 'x', 'y', 'z', 'a'];
  // 1/65 + 0.1/61 = 0.01702 > 1/61 = 0.01639, since the others are not in the second at all
  expect(
    fuseRanks([
      { ids: many, weight: 1 },
      { ids: ['a'], weight: 0.1 },
    ])[0],
  ).toBe('a');
});
