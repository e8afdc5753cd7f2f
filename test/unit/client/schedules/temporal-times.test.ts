import { DAYS_OF_WEEK, MONTHS } from '@temporalio/client';
import { expect, test } from 'vitest';
import { temporalTimes } from '../../../../src/client/schedules/temporal-times.js';
import { type Cron, readCron } from '../../../../src/rules/schedules/cron.js';

type Times = ReturnType<typeof temporalTimes>;
type Calendar = NonNullable<Times['calendars']>[number];

/** What a clock shows. */
type Local = { minute: number; hour: number; dayOfMonth: number; month: number; dayOfWeek: number };

const MINUTE = 60_000;
const FROM = Date.parse('2026-01-01T00:00:00Z');
const TO = Date.parse('2027-02-01T00:00:00Z');

/** Each minute of thirteen months, by the time zones of Node. */
function* minutesOf(zone: string): Generator<[number, Local]> {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  for (let quarter = FROM; quarter < TO; quarter += 15 * MINUTE) {
    const shown = Date.parse(`${format.format(quarter).replace(' ', 'T')}Z`);
    for (let n = 0; n < 15; n += 1) {
      const date = new Date(shown + n * MINUTE);
      yield [
        quarter + n * MINUTE,
        {
          minute: date.getUTCMinutes(),
          hour: date.getUTCHours(),
          dayOfMonth: date.getUTCDate(),
          month: date.getUTCMonth() + 1,
          dayOfWeek: date.getUTCDay(),
        },
      ];
    }
  }
}

/** As Temporal reads calendars, intervals and `skip`, apart from its errors where the clock goes back. */
function fires({ calendars = [], intervals = [], skip = [] }: Times): (at: number, local: Local) => boolean {
  const lists = (calendar: Calendar) =>
    (['minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'] as const).map((name) => {
      const ranges = calendar[name];
      const number = (value: unknown): number =>
        typeof value === 'number'
          ? value
          : Math.max(MONTHS.indexOf(value as never) + 1, DAYS_OF_WEEK.indexOf(value as never));
      const values = ranges === '*' ? undefined : (ranges as unknown[]).map(number);
      const isIn = table((value) => !values || values.includes(value));
      return (local: Local) => isIn[local[name]] as boolean;
    });
  const among = (all: readonly Calendar[]) => {
    const matchers = all.map(lists);
    return (local: Local) => matchers.some((fields) => fields.every((field) => field(local)));
  };
  const [starts, skipped] = [among(calendars), among(skip)];
  return (at, local) =>
    (intervals.some(({ every, offset }) => (at - offset) % every === 0) || starts(local)) && !skipped(local);
}

/** Whether a cron daemon fires, from the text alone. */
function cronFires(text: string): (local: Local) => boolean {
  const [minute, hour, date, month, day] = text.split(' ').map((field) => {
    const parts = field.split(',').map((part) => /^(\*|\d+)(?:-(\d+))?(?:\/(\d+))?$/.exec(part) ?? []);
    return [0, 1].map((least) =>
      table((value) =>
        parts.some(([, first, last, step = '1']) => {
          const start = first === '*' ? least : Number(first);
          const end = first === '*' ? 99 : Number(last ?? first);
          return value >= start && value <= end && (value - start) % Number(step) === 0;
        }),
      ),
    );
  }) as [Tables, Tables, Tables, Tables, Tables];
  const isOpen = text.split(' ').map((field) => field.startsWith('*'));
  return (local) => {
    const isDate = date[1][local.dayOfMonth];
    const isDay = day[0][local.dayOfWeek] || (local.dayOfWeek === 0 && !isOpen[4] && day[0][7]);
    const isOn = isOpen[2] || isOpen[4] ? isDate && isDay : isDate || isDay;
    return Boolean(minute[0][local.minute] && hour[0][local.hour] && month[1][local.month] && isOn);
  };
}
/** By value; the second one is for fields that begin with 1. */
type Tables = [boolean[], boolean[]];

function table(test: (value: number) => boolean): boolean[] {
  return Array.from({ length: 60 }, (_, value) => test(value));
}

const TEXTS = [
  ...['0 * * * *', '*/15 * * * *', '7,52 * * * 1', '*/7 1-5 * * *', '30 1 * * *', '30 2 * * *', '0 3 1,15 * *'],
  ...['0 9 13 * 5', '*/20 * 13 * 5', '0 9 */2 * 1', '0 9 1 * */2', '0 9 1-31 * 1', '0 0 29 2 *', '0 */5 * 3,10 *'],
  ...['5-55/10 0-6,22 * 1-3,11 5-7', '0 0 1 1 7', '* * 31 * *'],
];

test.each(['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'Australia/Lord_Howe'])(
  'over thirteen months in %s, Temporal is given the times that cron means',
  (zone) => {
    const cases = TEXTS.map((text) => ({
      text,
      wanted: cronFires(text),
      given: fires(temporalTimes(readCron(text) as Cron, zone)),
      count: 0,
    }));
    const wrong: string[] = [];
    for (const [at, local] of minutesOf(zone)) {
      for (const each of cases) {
        const isWanted = each.wanted(local);
        if (isWanted) each.count += 1;
        if (isWanted !== each.given(at, local)) wrong.push(`${each.text} at ${new Date(at).toISOString()}`);
      }
    }
    expect(wrong.slice(0, 10)).toEqual([]);
    expect(cases.filter(({ text, count }) => count === 0 && text !== '0 0 29 2 *')).toEqual([]);
  },
  60_000,
);

test('both days restricted are a union, and frequent schedules are intervals, except in UTC', () => {
  expect(temporalTimes(readCron('0 9 13 * 5') as Cron, 'UTC').calendars).toMatchObject([
    { dayOfMonth: '*', dayOfWeek: ['FRIDAY'] },
    { dayOfMonth: [13], dayOfWeek: '*' },
  ]);
  expect(temporalTimes(readCron('5 * * * *') as Cron, 'Europe/Berlin')).toMatchObject({
    intervals: [{ every: 900_000, offset: 300_000 }],
    skip: [{ hour: '*', minute: expect.not.arrayContaining([5]) }],
  });
  expect(temporalTimes(readCron('5 * * * *') as Cron, 'UTC')).not.toHaveProperty('intervals');
});
