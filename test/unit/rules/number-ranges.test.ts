import { expect, test } from 'vitest';
import type { NumberRange } from '../../../src/contracts/loops.js';
import { addNumber, isAmong, rangesOf } from '../../../src/rules/number-ranges.js';

test('numbers in any order become the ranges that contain exactly these', () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % below;
  };
  for (let round = 0; round < 200; round += 1) {
    const numbers = Array.from({ length: 20 }, () => random(30));
    const added = numbers.reduce<NumberRange[]>((ranges, number) => addNumber(ranges, number) ?? [], []);
    expect(added).toEqual(rangesOf(numbers));
    for (let number = 0; number < 30; number += 1) expect(isAmong(added, number)).toBe(numbers.includes(number));
  }
});

test('too many ranges become undefined', () => {
  const odd = Array.from({ length: 201 }, (_, index) => 2 * index);
  expect(rangesOf(odd)).toBeUndefined();
  const full = rangesOf(odd.slice(0, 200)) as NumberRange[];
  expect(addNumber(full, 1000)).toBeUndefined();
  expect(addNumber(full.slice(1), 1000)).toHaveLength(200);
  expect(addNumber(full, 1)).toHaveLength(199);
});
