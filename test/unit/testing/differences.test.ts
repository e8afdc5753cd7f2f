import { describe, expect, test } from 'vitest';
import { compareLists } from '../../../src/testing/report.js';

describe('two lists', () => {
  const lines = (expected: string, actual: string): string =>
    compareLists([...expected], [...actual])
      .map(({ mark, text }) => `${mark}${text}`)
      .join('');

  test.each([
    ['abc', 'abc', ' a b c'],
    ['abc', 'ac', ' a-b c'],
    ['ac', 'abc', ' a+b c'],
    ['abc', 'adc', ' a-b+d c'],
    ['', 'ab', '+a+b'],
    ['ab', '', '-a-b'],
    ['abcd', 'bcde', '-a b c d+e'],
    ['aab', 'ab', ' a-a b'],
  ])('%s compared with %s', (expected, actual, laid) => {
    expect(lines(expected, actual).replaceAll(' ', '')).toBe(laid.replaceAll(' ', ''));
    expect(lines(expected, actual)).toHaveLength(laid.length);
  });
});
