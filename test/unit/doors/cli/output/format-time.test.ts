import { expect, test } from 'vitest';
import {
  formatDistance,
  formatMoment,
  formatUntil,
  localTime,
} from '../../../../../src/doors/cli/output/format-time.js';

const NOW = Date.parse('2026-01-31T12:00:00.000Z');
const from = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

test.each([
  [0, 'now'],
  [-0.9, 'now'],
  [-59, '59 s ago'],
  [8, 'in 8 s'],
  [-180, '3 min ago'],
  [-119, '119 s ago'],
  [7199, 'in 2 h'],
  [23 * 3600 + 20, 'in 23 h'],
  [-47 * 3600, '47 h ago'],
  [72 * 3600, 'in 3 d'],
])('%d seconds from now is %s', (seconds, words) => {
  expect(formatDistance(from(seconds), NOW)).toBe(words);
});

test('a time is shown in local time, with its day if that is not today', () => {
  const at = new Date(NOW - 60_000);
  const two = (number: number) => String(number).padStart(2, '0');
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:00`;
  const sameDay = at.getDate() === new Date(NOW).getDate();
  expect(localTime(from(-60), NOW)).toMatch(sameDay ? new RegExp(`^${time}$`) : new RegExp(`${time}$`));
  expect(localTime(from(-72 * 3600), NOW)).toMatch(/^2026-01-2\d \d\d:\d\d:\d\d$/);
  expect(formatMoment(from(-180), NOW)).toBe(`3 min ago (${localTime(from(-180), NOW)})`);
  expect(formatUntil(from(8), NOW)).toBe(`${localTime(from(8), NOW)} (in 8 s)`);
});

test('a text that is not a time is left unchanged', () => {
  expect(formatDistance('soon', NOW)).toBe('soon');
  expect(localTime('soon', NOW)).toBe('soon');
});
