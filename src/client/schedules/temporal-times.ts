import {
  type CalendarSpec,
  DAYS_OF_WEEK,
  type DayOfWeek,
  MONTHS,
  type Month,
  type ScheduleSpec,
} from '@temporalio/client';
import type { Cron } from '../../rules/schedules/cron.js';

const ALWAYS = { second: '*', minute: '*', hour: '*', dayOfMonth: '*', month: '*', dayOfWeek: '*' } as const;
const QUARTER = 15;

type Fields = ReturnType<typeof fieldsOf>;

/**
 * The times of a schedule as Temporal reads them exactly. A calendar of Temporal joins its fields by *and*, and errs
 * where the clock goes back (server 1.32, `scheduler/calendar.go`): east of Greenwich `0 * * * *` loses a firing,
 * and `30 1 * * *` in Berlin fires at 02:30, too. Therefore `skip` takes out all other times of the clock, and a
 * frequent schedule is made of intervals, within each quarter of an hour, since all zones differ by such.
 */
export function temporalTimes(cron: Cron, timezone: string): Pick<ScheduleSpec, 'calendars' | 'intervals' | 'skip'> {
  const starts = { ...fieldsOf(cron), second: 0 };
  const calendars: CalendarSpec[] = cron.eitherDay
    ? [
        { ...starts, dayOfMonth: '*' },
        { ...starts, dayOfWeek: '*' },
      ]
    : [starts];
  if (timezone === 'UTC') return { calendars };
  const { minute, hour, dayOfMonth, month, dayOfWeek } = fieldsOf({
    minute: without(cron.minute, 0, 59),
    hour: without(cron.hour, 0, 23),
    dayOfMonth: without(cron.dayOfMonth, 1, 31),
    month: without(cron.month, 1, 12),
    dayOfWeek: without(cron.dayOfWeek, 0, 6),
  });
  const days = cron.eitherDay ? [{ dayOfMonth, dayOfWeek }] : [{ dayOfMonth }, { dayOfWeek }];
  const others: Partial<Fields>[] = [{ minute }, { hour }, { month }, ...days];
  const skip = others
    .filter((other) => Object.values(other).every((values) => values.length > 0))
    .map((other): CalendarSpec => ({ ...ALWAYS, ...other }));
  if (!cron.isFrequent) return { calendars, skip };
  const phases = [...new Set(cron.minute.map((minute) => minute % QUARTER))];
  // One interval is tried much faster than fifteen: Temporal tries each until one is not skipped.
  if (phases.length === QUARTER) return { intervals: [{ every: 60_000, offset: 0 }], skip };
  return { intervals: phases.map((phase) => ({ every: QUARTER * 60_000, offset: phase * 60_000 })), skip };
}

function fieldsOf({ minute, hour, dayOfMonth, month, dayOfWeek }: Omit<Cron, 'eitherDay' | 'isFrequent'>) {
  const months = month.map((one) => MONTHS[one - 1] as Month);
  return { minute, hour, dayOfMonth, month: months, dayOfWeek: dayOfWeek.map((one) => DAYS_OF_WEEK[one] as DayOfWeek) };
}

function without(values: readonly number[], least: number, greatest: number): number[] {
  const all = Array.from({ length: greatest - least + 1 }, (_, index) => least + index);
  return all.filter((value) => !values.includes(value));
}
