import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDuration, isDuration, parseDuration } from '../../../src/rules/duration.js';
import { errorOf } from '../error-of.js';

describe('parsing', () => {
  test.each([
    ['500ms', 500],
    ['20s', 20_000],
    ['10m', 600_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['0s', 0],
    ['1.5s', 1500],
    ['0.25h', 900_000],
    [' 20s ', 20_000],
    ['3650d', 315_360_000_000],
  ])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each(['PT30S', '30', '-1s', '1 s', '1s500ms', 's', '', '1w', '1e3s', '.5s', '5S', '11y', '99999999d'])(
    '%j is refused with a suggestion of the right form',
    (text) => {
      const error = errorOf(() => parseDuration(text));
      expect(error.code).toBe('expression.not_duration');
      expect(error.suggestion).toMatch(/500ms, 20s, 10m, 24h or 7d/);
    },
  );

  test.each([[30], [null], [['1s']], [undefined]])('%j, which is not text, is refused as well', (value) => {
    expect(errorOf(() => parseDuration(value)).code).toBe('expression.not_duration');
  });

  test('a duration that is too long is refused with the maximum, and any other value without it', () => {
    expect(errorOf(() => parseDuration('3651d')).message).toContain('at most ten years');
    expect(errorOf(() => parseDuration('11y')).message).not.toContain('ten years');
  });

  test('a fraction of a millisecond is rounded to a whole one', () => {
    expect(parseDuration('0.0004s')).toBe(0);
    expect(parseDuration('1.6ms')).toBe(2);
  });

  test('a value can be checked without an error', () => {
    expect([isDuration('20s'), isDuration('20')]).toEqual([true, false]);
  });
});

describe('formatting', () => {
  test.each([
    [0, '0ms'],
    [85, '85ms'],
    [999.4, '999ms'],
    [999.5, '1s'],
    [2400, '2.4s'],
    [59_949, '59.9s'],
    [59_950, '1m'],
    [20_000, '20s'],
    [59_960, '1m'],
    [200_000, '3m 20s'],
    [3_600_000, '1h'],
    [3_900_000, '1h 5m'],
    [183_600_000, '2d 3h'],
  ])('%i ms reads %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test('no duration is formatted as empty text', () => {
    fc.assert(fc.property(fc.nat({ max: 400 * 86_400_000 }), (ms) => formatDuration(ms) !== ''));
  });
});
