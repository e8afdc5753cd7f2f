import type { ScheduleSpec } from '../../contracts/schedules.js';
import { formatDuration } from '../duration.js';
import { isDayOf } from './clock-changes.js';
import { type Cron, readCron } from './cron.js';

const MINUTE = 60_000;
const DAY = 1440;
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
    isDayOf(cron, new Date(day * DAY * MINUTE)),
  );
  const between = days.slice(1).map((day, index) => (day - (days[index] as number)) * DAY + first - last);
  return Math.min(...within, ...between, Number.POSITIVE_INFINITY);
}
