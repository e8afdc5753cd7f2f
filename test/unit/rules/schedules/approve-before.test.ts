import { describe, expect, test } from 'vitest';
import { firesAt, whyNotAhead } from '../../../../src/rules/schedules/approve-before.js';
import { type Cron, readCron } from '../../../../src/rules/schedules/cron.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const why = (cron: string, approve_before_ms: number, more: object = {}) =>
  whyNotAhead({ cron, overlap: 'skip', jitter_ms: 0, approve_before_ms, ...more });

describe('people can be asked at most as long before as firings are apart', () => {
  test.each([
    ['* * * * *', 60_000],
    ['*/15 * * * *', 15 * 60_000],
    ['50,5 * * * *', 15 * 60_000],
    ['0 3 * * *', DAY],
    ['0 1,23 * * *', 2 * HOUR],
    ['0 3 * * 1', 7 * DAY],
    ['0 3 * * 1-5', DAY],
    ['0 3 1 * *', 28 * DAY],
    ['0 3 31 12 *', 365 * DAY],
    ['0 3 13 * fri', DAY],
  ])('%s: %d ms', (cron, interval) => {
    expect(why(cron, interval)).toBeUndefined();
    expect(why(cron, interval + 1)).toMatch(/longer than the .+ between two firings/);
  });

  test('and as long as they like before a firing that comes once in four years', () => {
    expect(why('0 3 29 2 *', 1000 * DAY)).toBeUndefined();
  });
});

test('nothing else that would change when or whether a task runs goes with it', () => {
  expect(why('0 3 * * *', HOUR, { jitter_ms: 1 })).toContain('jitter');
  expect(why('0 3 * * *', HOUR, { overlap: 'allow_all' })).toBeUndefined();
  for (const overlap of ['buffer_one', 'buffer_all', 'cancel_other']) {
    expect(why('0 3 * * *', HOUR, { overlap })).toContain(overlap);
  }
  expect(why('0 3 * * *', 0)).toContain('before the firing');
  expect(why('0 3 * * *', HOUR, { approve_before_ms: undefined, jitter_ms: 1 })).toBeUndefined();
});

test('a firing is told from one by hand by its time, in the zone of the schedule', () => {
  const berlin = (time: string) => firesAt(readCron('0 3 * * *') as Cron, 'Europe/Berlin', Date.parse(time) / 1000);
  expect(berlin('2030-01-01T02:00:00Z')).toBe(true);
  expect(berlin('2030-07-01T01:00:00Z')).toBe(true);
  expect(berlin('2030-01-01T02:00:17Z')).toBe(false);
  expect(berlin('2030-01-01T03:00:00Z')).toBe(false);
});
