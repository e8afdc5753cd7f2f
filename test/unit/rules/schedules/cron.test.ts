import { expect, test } from 'vitest';
import { type Cron, readCron } from '../../../../src/rules/schedules/cron.js';

const read = (text: string) => readCron(text) as Cron;

test.each([
  ['0 9-17/4 * * mon-FRI', { minute: [0], hour: [9, 13, 17], dayOfWeek: [1, 2, 3, 4, 5], eitherDay: false }],
  ['*/25 3 * JAN,mar *', { minute: [0, 25, 50], hour: [3], month: [1, 3], isFrequent: true }],
  [' 30  2 * * 7 ', { minute: [30], dayOfWeek: [0], isFrequent: false }],
  ['0 0 * * 5-7', { dayOfWeek: [0, 5, 6] }],
  ['0 0 * * 0-7', { dayOfWeek: [0, 1, 2, 3, 4, 5, 6] }],
  ['0 0 * * */2', { dayOfWeek: [0, 2, 4, 6], eitherDay: false }],
  ['0 0 * * */7', { dayOfWeek: [0] }],
  ['0 9 13 * 5', { dayOfMonth: [13], dayOfWeek: [5], eitherDay: true }],
  ['0 9 */2 * 1', { eitherDay: false }],
  ['0 9 1-31 * 1', { eitherDay: true }],
  ['0 0-23 * * *', { isFrequent: true }],
  ['0 0 29 2 *', { dayOfMonth: [29], month: [2] }],
  ['0 0 30 2 1', { eitherDay: true }],
  ['@hourly', { minute: [0], isFrequent: true }],
  ['@weekly', { minute: [0], hour: [0], dayOfWeek: [0] }],
])('%s is read', (text, expected) => {
  expect(read(text)).toMatchObject(expected);
});

test.each([
  ['every morning', 'it has 2 fields'],
  ['0 3 * *', 'it has 4 fields'],
  ['0 3 * * * 2027', 'it has 6 fields, and cron has 5, without seconds and years'],
  ['*/10 0 3 * * * *', 'it has 7 fields'],
  ['60 3 * * *', 'the minute cannot be "60": it is 0 to 59'],
  ['0 24 * * *', 'the hour cannot be "24"'],
  ['0 3 0 * *', 'the day of month cannot be "0"'],
  ['0 3 * ja *', 'the month cannot be "ja": it is 1 to 12, or jan to dec'],
  ['0 3 * march *', 'the month cannot be "march"'],
  ['0 3 mon * *', 'the day of month cannot be "mon"'],
  ['0 3 * * 8', 'the day of week cannot be "8": it is 0 to 7, or sun to sat'],
  ['0 3 * * fri-mon', 'the day of week cannot be "fri-mon": write 5-6,0-1'],
  ['0 3 * * 5-1', 'the day of week cannot be "5-1": write 5-6,0-1'],
  ['0 3 * * 6-0', 'write 6,0'],
  ['0 22-2 * * *', 'the hour cannot be "22-2": write 22-23,0-2'],
  ['0 22-2/2 * * *', 'a range cannot go back'],
  ['1/5 * * * *', 'the minute cannot be "1/5": write 1-59/5'],
  ['*/0 * * * *', 'the minute cannot be "*/0": a step is 1 to 59'],
  ['*/90 * * * *', 'a step is 1 to 59'],
  ['1/2/3 * * * *', 'the minute cannot be "1/2/3"'],
  ['*-5 * * * *', 'the minute cannot be "*-5"'],
  ['-5 * * * *', 'the minute cannot be "-5"'],
  ['1.5 * * * *', 'the minute cannot be "1.5"'],
  ['0 3 * * ,', 'the day of week cannot be ""'],
  ['? 3 * * *', 'the minute cannot be "?": `#`, `L`, `W` and `?` are not read as cron'],
  ['0 3 L * *', 'the day of month cannot be "L": `#`'],
  ['0 3 15W * *', 'the day of month cannot be "15W": `#`'],
  ['0 3 * * 5L', 'the day of week cannot be "5L": `#`'],
  ['0 3 * * 5#2', 'the day of week cannot be "5#2": `#`'],
  ['0 3 * * 1,5#2', 'the day of week cannot be "5#2"'],
  ['@sometimes', '"@sometimes" is none of @yearly'],
  ['@every 5m', '"@every 5m" is none of'],
  ['@reboot', '"@reboot" is none of'],
  ['@constructor', 'is none of'],
  ['CRON_TZ=Europe/Berlin 0 3 * * *', 'the time zone has a field of its own, `timezone`'],
  ['TZ=UTC 0 3 * * *', 'the time zone has a field of its own'],
  ['0 3 * * * # nightly', 'a comment belongs beside it'],
  ['30 2 30 2 *', 'it never fires: no feb has a day 30'],
  ['0 0 31 2,4,6,9,11 *', 'it never fires: no feb or apr or jun or sep or nov has a day 31'],
])('%s is refused: %s', (text, mistake) => {
  expect(readCron(text)).toContain(mistake);
});
