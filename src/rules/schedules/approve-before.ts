import type { ScheduleSpec } from '../../contracts/schedules.js';
import { formatDuration } from '../duration.js';
import { offsetOf } from '../expressions/zones/zone-offset.js';
import { type Cron, readCron } from './cron.js';

const MINUTE = 60_000;
const MINUTES_A_DAY = 1440;
/** All days of the calendar come within four years and a leap day; the first one is a Thursday, as good as any. */
const DAYS = 1462;

/**
 * Why people cannot be asked ahead of the firings of a schedule, as a sentence; undefined: they can, or `cron` is wrong.
 * Source: docs/schedules.md#approved-before.
 */
export function whyNotAhead(spec: Pick<ScheduleSpec, 'cron' | 'overlap' | 'jitter_ms' | 'approve_before_ms'>) {
  const { cron, overlap, jitter_ms, approve_before_ms: before } = spec;
  if (before === undefined) return undefined;
  if (before < 1) return '`approve_before` is a time before the firing, such as 2h';
  if (jitter_ms > 0)
    return '`approve_before` and `jitter` exclude each other: what is asked ahead runs at the time of the schedule';
  if (overlap !== 'skip' && overlap !== 'allow_all') {
    return `\`approve_before\` goes with \`overlap: skip\` or \`allow_all\`, not with ${overlap}: a task that waits to be approved is open`;
  }
  const read = readCron(cron);
  const interval = typeof read === 'string' ? Number.POSITIVE_INFINITY : shortestInterval(read) * MINUTE;
  if (before <= interval) return undefined;
  return `\`approve_before\` is longer than the ${formatDuration(interval)} between two firings`;
}

/** In minutes, but for changes of the clock. Infinity: it fires once in four years. */
function shortestInterval(cron: Cron): number {
  const times = cron.hour.flatMap((hour) => cron.minute.map((minute) => hour * 60 + minute));
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const within = times.slice(1).map((time, index) => time - (times[index] as number));
  const days = Array.from({ length: DAYS }, (_, day) => day).filter((day) =>
    isDayOf(cron, new Date(day * MINUTES_A_DAY * MINUTE)),
  );
  const between = days.slice(1).map((day, index) => (day - (days[index] as number)) * MINUTES_A_DAY + first - last);
  return Math.min(...within, ...between, Number.POSITIVE_INFINITY);
}

const SECONDS_A_DAY = 86_400;
const SEEN_DAYS = 400;

/**
 * The next change of the clock by which a schedule leaves out a time or fires twice at one, as a sentence with its
 * date; undefined if there is none within 400 days. Temporal fires twice at a repeated time of a calendar if the
 * offset from Greenwich after the change is negative, and else once, the second time.
 * @param timezone IANA name. @param from default: now.
 */
export function clockChangeNote(cron: Cron, timezone: string, from = new Date()): string | undefined {
  if (cron.isFrequent && cron.hour.length === 24) return undefined;
  const start = Math.floor(from.getTime() / 1000);
  for (let before = start; before < start + SEEN_DAYS * SECONDS_A_DAY; before += SECONDS_A_DAY) {
    const [old, now] = [offsetOf(timezone, before), offsetOf(timezone, before + SECONDS_A_DAY)];
    if (old === now || (now < old && now >= 0 && !cron.isFrequent)) continue;
    const change = momentOfChange(timezone, before, before + SECONDS_A_DAY);
    for (let time = change + Math.min(old, now); time < change + Math.max(old, now); time += 60) {
      if (!isTimeOf(cron, new Date(time * 1000))) continue;
      const [date, clock] = new Date(time * 1000).toISOString().slice(0, 16).split('T');
      return now > old
        ? `On ${date} there is no ${clock} in ${timezone}, since the clock goes forward: it does not fire then`
        : `On ${date} there is ${clock} twice in ${timezone}, since the clock goes back: it fires both times`;
    }
  }
  return undefined;
}

/** The first second with the later offset. */
function momentOfChange(timezone: string, before: number, after: number): number {
  let [low, high] = [before, after];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetOf(timezone, middle) === offsetOf(timezone, before)) low = middle;
    else high = middle;
  }
  return high;
}

/** Whether a schedule fires at a moment. Seconds since 1970. */
export function firesAt(cron: Cron, timezone: string, moment: number): boolean {
  return moment % 60 === 0 && isTimeOf(cron, new Date((moment + offsetOf(timezone, moment)) * 1000));
}

/** @param local what the clock shows, as if in UTC. */
function isTimeOf(cron: Cron, local: Date): boolean {
  return cron.minute.includes(local.getUTCMinutes()) && cron.hour.includes(local.getUTCHours()) && isDayOf(cron, local);
}

/** @param local as {@link isTimeOf}. */
export function isDayOf({ dayOfMonth, month, dayOfWeek, eitherDay }: Cron, local: Date): boolean {
  const [isDate, isWeekday] = [dayOfMonth.includes(local.getUTCDate()), dayOfWeek.includes(local.getUTCDay())];
  return month.includes(local.getUTCMonth() + 1) && (eitherDay ? isDate || isWeekday : isDate && isWeekday);
}
