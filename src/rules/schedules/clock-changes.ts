import { offsetOf } from '../expressions/zones/zone-offset.js';
import type { Cron } from './cron.js';

const DAY = 86_400;
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
  for (let before = start; before < start + SEEN_DAYS * DAY; before += DAY) {
    const [old, now] = [offsetOf(timezone, before), offsetOf(timezone, before + DAY)];
    if (old === now || (now < old && now >= 0 && !cron.isFrequent)) continue;
    const change = momentOfChange(timezone, before, before + DAY);
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
