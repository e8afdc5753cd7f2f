import { expect, test } from 'vitest';
import { readSince } from '../../../../../src/doors/cli/input/read-since.js';
import { errorOf } from '../../../error-of.js';

const NOW = Date.parse('2026-02-01T12:00:00Z');

test.each([
  ['30m', '2026-02-01T11:30:00.000Z'],
  ['7d', '2026-01-25T12:00:00.000Z'],
  ['0s', '2026-02-01T12:00:00.000Z'],
  ['2026-01-31', '2026-01-31T00:00:00.000Z'],
  ['2026-01-31T08:00', '2026-01-31T08:00:00.000Z'],
  ['2026-01-31 08:00:05', '2026-01-31T08:00:05.000Z'],
  ['2026-01-31T08:00:00+01:00', '2026-01-31T07:00:00.000Z'],
  ['2026-01-31t08:00:00.123z', '2026-01-31T08:00:00.123Z'],
])('--since %s', (text, expected) => {
  expect(readSince(text, NOW).toISOString()).toBe(expected);
});

test.each(['', 'yesterday', '5 minutes', '2026-02-31', '2026-13-01', '2026-01-31T25:00', '1769846400', '2026', '-5m'])(
  '--since %j is refused, with the right forms',
  (text) => {
    const error = errorOf(() => readSince(text, NOW));
    expect(error).toMatchObject({ code: 'usage.invalid', suggestion: expect.stringMatching(/24h.*2026-01-31T/) });
  },
);

test('a moment in the future is refused', () => {
  expect(errorOf(() => readSince('2026-02-02', NOW)).message).toMatch(/in the future/);
});
