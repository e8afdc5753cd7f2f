import { rangesOf as numberRanges } from '../number-ranges.js';
import type { Cron } from './cron.js';

const MONTHS = [
  ...(['JANUARY', 'FEBRUARY', 'MARCH', 'APRIL', 'MAY', 'JUNE'] as const),
  ...(['JULY', 'AUGUST', 'SEPTEMBER', 'OCTOBER', 'NOVEMBER', 'DECEMBER'] as const),
];
const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const;

type Ranges<T> = '*' | { start: T; end: T }[];

/** As `CalendarSpec` of Temporal's SDK. */
export interface Calendar {
  second: 0 | '*';
  minute: Ranges<number>;
  hour: Ranges<number>;
  dayOfMonth: Ranges<number>;
  month: Ranges<(typeof MONTHS)[number]>;
  dayOfWeek: Ranges<(typeof DAYS)[number]>;
}

/** The part of Temporal's `ScheduleSpec` that says when; durations in milliseconds. */
export interface TemporalTimes {
  calendars?: Calendar[];
  intervals?: { every: number; offset: number }[];
  skip?: Calendar[];
}

const ALWAYS = { second: '*', minute: '*', hour: '*', dayOfMonth: '*', month: '*', dayOfWeek: '*' } as const;
const [MINUTES, HOURS, DATES] = [numbers(0, 59), numbers(0, 23), numbers(1, 31)] as const;
const QUARTER = 15;

/**
 * The times of a schedule as Temporal reads them exactly. A calendar of Temporal joins its fields by *and*, and errs
 * where the clock goes back (server 1.32, `scheduler/calendar.go`): east of Greenwich `0 * * * *` loses a firing,
 * and `30 1 * * *` in Berlin fires at 02:30, too. Therefore `skip` takes out all other times of the clock, and a
 * frequent schedule is made of intervals, within each quarter of an hour, since all zones differ by such.
 */
export function temporalTimes(cron: Cron, timezone: string): TemporalTimes {
  const fields = {
    minute: rangesOf(cron.minute, MINUTES),
    hour: rangesOf(cron.hour, HOURS),
    dayOfMonth: rangesOf(cron.dayOfMonth, DATES),
    month: rangesOf(cron.month, MONTHS, 1),
    dayOfWeek: rangesOf(cron.dayOfWeek, DAYS),
  };
  const starts = { ...fields, second: 0 } as const;
  const calendars: Calendar[] = cron.eitherDay
    ? [
        { ...starts, dayOfMonth: '*' },
        { ...starts, dayOfWeek: '*' },
      ]
    : [starts];
  if (timezone === 'UTC') return { calendars };
  const date = { dayOfMonth: rangesOf(without(cron.dayOfMonth, DATES), DATES) };
  const weekday = { dayOfWeek: rangesOf(without(cron.dayOfWeek, numbers(0, 6)), DAYS) };
  const others: Partial<Calendar>[] = [
    { minute: rangesOf(without(cron.minute, MINUTES), MINUTES) },
    { hour: rangesOf(without(cron.hour, HOURS), HOURS) },
    { month: rangesOf(without(cron.month, numbers(1, 12)), MONTHS, 1) },
    ...(cron.eitherDay ? [{ ...date, ...weekday }] : [date, weekday]),
  ];
  const skip = others
    .filter((other) => Object.values(other).every((ranges) => ranges === 0 || ranges.length > 0))
    .map((other): Calendar => ({ ...ALWAYS, ...other }));
  if (!cron.isFrequent) return { calendars, skip };
  const phases = [...new Set(cron.minute.map((minute) => minute % QUARTER))];
  // One interval is tried much faster than fifteen: Temporal tries each until one is not skipped.
  if (phases.length === QUARTER) return { intervals: [{ every: 60_000, offset: 0 }], skip };
  return { intervals: phases.map((phase) => ({ every: QUARTER * 60_000, offset: phase * 60_000 })), skip };
}

/** @param all what each value is called, the lowest first. @param least the lowest value; default: that of `all`. */
function rangesOf<T>(values: readonly number[], all: readonly T[], least = Number(all[0]) || 0): Ranges<T> {
  if (values.length === all.length) return '*';
  const named = (value: number): T => all[value - least] as T;
  return (numberRanges(values) ?? []).map(([from, to]) => ({ start: named(from), end: named(to) }));
}

function without(values: readonly number[], all: readonly number[]): number[] {
  return all.filter((value) => !values.includes(value));
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
