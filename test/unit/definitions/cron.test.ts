import { expect, test } from 'vitest';
import { cronMistake } from '../../../src/definitions/cron.js';

test.each([
  '0 3 * * *',
  '*/15 * * * *',
  '0 9-17/2 * * mon-fri',
  '0 0 1,15 JAN-march *',
  '30 2 * * 7',
  '0 3 * * * 2027',
  '*/10 0 3 * * * *',
  ' 0  3 * * * ',
  '@daily',
  '@every 90m',
  '@every 14h/3h',
])('%s is accepted', (cron) => {
  expect(cronMistake(cron)).toBeUndefined();
});

test.each([
  ['every morning', 'it has 2 fields'],
  ['0 3 * *', 'it has 4 fields'],
  ['60 3 * * *', 'the minute cannot be "60": it is 0 to 59'],
  ['0 24 * * *', 'the hour cannot be "24"'],
  ['0 3 0 * *', 'the day of month cannot be "0"'],
  ['0 3 * ja *', 'the month cannot be "ja"'],
  ['0 3 * * someday', 'the day of week cannot be "someday"'],
  ['0 3 * * fri-mon', 'the day of week cannot be "fri-mon"'],
  ['0 5-3 * * *', 'the hour cannot be "5-3"'],
  ['*/0 * * * *', 'the minute cannot be "*/0"'],
  ['1/2/3 * * * *', 'the minute cannot be "1/2/3"'],
  ['0 3 * * ,', 'the day of week cannot be ""'],
  ['? 3 * * *', 'the minute cannot be "?"'],
  ['0 3 L * *', 'the day of month cannot be "L"'],
  ['0 3 * * * 1999', 'the year cannot be "1999"'],
  ['@sometimes', '"@sometimes" is none of'],
  ['@every now', '"@every now" is none of'],
  ['CRON_TZ=Europe/Berlin 0 3 * * *', 'the time zone has a field of its own, `timezone`'],
  ['0 3 * * * # nightly', 'a comment belongs beside it'],
])('%s is refused: %s', (cron, mistake) => {
  expect(cronMistake(cron)).toContain(mistake);
});
