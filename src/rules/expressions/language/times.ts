import { offsetOf } from '../zones/zone-offset.js';
import type { Moment, Span } from './kinds.js';
import { type Civil, civilOf, SECOND, splitMoment } from './moments.js';
import { type Overload, overload } from './overloads.js';

/** A method of timestamps, in UTC or in a given time zone. */
function read(part: (civil: Civil) => number): Overload[] {
  const shown = (moment: Moment, zone: string): bigint => {
    const { seconds } = splitMoment(moment);
    return BigInt(part(civilOf(seconds + offsetOf(zone, seconds))));
  };
  return [
    overload<[Moment]>('timestamp -> int', ([moment]) => shown(moment, 'UTC')),
    overload<[Moment, string]>('timestamp string -> int', ([moment, zone]) => shown(moment, zone)),
  ];
}

function whole(unit: bigint): Overload {
  return overload<[Span]>('duration -> int', ([{ nanos }]) => nanos / unit);
}

const MILLISECONDS: Overload[] = [
  overload<[Moment]>('timestamp -> int', ([moment]) => milliseconds(moment)),
  overload<[Moment, string]>('timestamp string -> int', ([moment, zone]) => {
    offsetOf(zone, splitMoment(moment).seconds);
    return milliseconds(moment);
  }),
  // Only the part below a second; hours, minutes and seconds count the whole duration.
  overload<[Span]>('duration -> int', ([{ nanos }]) => (nanos % SECOND) / 1_000_000n),
];

function milliseconds(moment: Moment): bigint {
  return BigInt(Math.floor(splitMoment(moment).rest / 1_000_000));
}

/** Methods of timestamps and durations. Months, and days other than `getDate`, begin at 0. */
export const TIME_METHODS: Record<string, readonly Overload[]> = {
  getFullYear: read(({ year }) => year),
  getMonth: read(({ month }) => month - 1),
  getDate: read(({ day }) => day),
  getDayOfMonth: read(({ day }) => day - 1),
  getDayOfWeek: read(({ weekday }) => weekday),
  getDayOfYear: read(({ dayOfYear }) => dayOfYear),
  getHours: [...read(({ hour }) => hour), whole(3600n * SECOND)],
  getMinutes: [...read(({ minute }) => minute), whole(60n * SECOND)],
  getSeconds: [...read(({ second }) => second), whole(SECOND)],
  getMilliseconds: MILLISECONDS,
};
