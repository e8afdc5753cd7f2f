import { expect, test } from 'vitest';
import { clockChangeNote } from '../../../../src/rules/schedules/approve-before.js';
import { type Cron, readCron } from '../../../../src/rules/schedules/cron.js';

const note = (text: string, zone: string) =>
  clockChangeNote(readCron(text) as Cron, zone, new Date('2026-06-01T00:00:00Z'));

test.each([
  ['30 2 * * *', 'Europe/Berlin', 'On 2027-03-28 there is no 02:30 in Europe/Berlin'],
  ['*/15 2 * * *', 'Europe/Berlin', 'On 2026-10-25 there is 02:00 twice in Europe/Berlin'],
  ['30 1 * * *', 'America/New_York', 'On 2026-11-01 there is 01:30 twice in America/New_York'],
  ['30 2 * * *', 'America/New_York', 'On 2027-03-14 there is no 02:30 in America/New_York'],
  ['0 0 * * *', 'Africa/Cairo', 'On 2027-04-30 there is no 00:00 in Africa/Cairo'],
  ['15 2 * * *', 'Australia/Lord_Howe', 'On 2026-10-04 there is no 02:15 in Australia/Lord_Howe'],
  ['30 2 28 * 1', 'Europe/Berlin', 'On 2027-03-28 there is no 02:30'],
])('%s in %s: %s', (text, zone, expected) => {
  expect(note(text, zone)).toContain(expected);
});

test.each([
  ['30 2 * * *', 'UTC'],
  ['30 2 * * *', 'Asia/Kolkata'],
  ['0 3 * * *', 'Europe/Berlin'],
  ['0 1 * * *', 'Europe/Berlin'],
  ['0 * * * *', 'Europe/Berlin'],
  ['*/15 * * * *', 'America/New_York'],
  ['30 2 * * 1', 'Europe/Berlin'],
  ['30 2 1 * *', 'Europe/Berlin'],
])('%s in %s: no change matters', (text, zone) => {
  expect(note(text, zone)).toBeUndefined();
});
