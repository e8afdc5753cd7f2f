import { fail, Moment, Span } from './kinds.js';

/** Nanoseconds. */
export const SECOND = 1_000_000_000n;
const MILLISECOND = 1_000_000n;
const DAY_SECONDS = 86_400;

/** The range of timestamps: the years 1 to 9999. */
const FIRST = -62_135_596_800n * SECOND;
const LAST = 253_402_300_800n * SECOND - 1n;
/** The longest duration: 64 bits of nanoseconds, about 292 years. */
const LONGEST = 2n ** 63n - 1n;

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))$/;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** @throws Failure outside of the years 1 to 9999. */
export function momentOf(nanos: bigint): Moment {
  return nanos >= FIRST && nanos <= LAST ? new Moment(nanos) : fail('a timestamp is in the years 1 to 9999');
}

/** @throws Failure beyond about 292 years. */
export function spanOf(nanos: bigint): Span {
  return nanos <= LONGEST && -nanos <= LONGEST ? new Span(nanos) : fail('a duration has at most 9223372036s');
}

/** Reads RFC 3339 with up to nine decimals. @throws Failure for anything else, also a nonexistent day. */
export function readMoment(text: string): Moment {
  const refuse = (): never =>
    fail(`timestamp() takes a moment such as 2026-01-31T08:00:00Z, not ${JSON.stringify(text)}`);
  const match = RFC_3339.exec(text);
  if (!match) return refuse();
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as Numbers;
  const [offsetHour, offsetMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  const days = MONTH_DAYS[month - 1] ?? 0;
  const isDay = day >= 1 && day <= (month === 2 && isLeap(year) ? 29 : days);
  if (!isDay || hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return refuse();
  const offset = (match[8] === '-' ? -1 : 1) * (offsetHour * 3600 + offsetMinute * 60);
  const seconds = daysFromCivil(year, month, day) * DAY_SECONDS + hour * 3600 + minute * 60 + second - offset;
  return momentOf(BigInt(seconds) * SECOND + BigInt((match[7] ?? '').padEnd(9, '0')));
}

type Numbers = [number, number, number, number, number, number];

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

/** Days since 1970 of a Gregorian date; months are 1 to 12. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const from = month <= 2 ? year - 1 : year;
  const era = Math.floor(from / 400);
  const ofEra = from - era * 400;
  const ofYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719_468;
}

export interface Civil {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  /** 0 is Sunday. */
  weekday: number;
  /** 0 is the first of January. */
  dayOfYear: number;
}

/** @param seconds since 1970, with the offset of the time zone already added. */
export function civilOf(seconds: number): Civil {
  const days = Math.floor(seconds / DAY_SECONDS);
  const rest = seconds - days * DAY_SECONDS;
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const ofEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  );
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * ofYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return {
    ...{ year, month, day: ofYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1 },
    ...{ hour: Math.floor(rest / 3600), minute: Math.floor(rest / 60) % 60, second: rest % 60 },
    weekday: (((days + 4) % 7) + 7) % 7,
    dayOfYear: days - daysFromCivil(year, 1, 1),
  };
}

/** `rest`: nanoseconds, never negative. */
export function splitMoment({ nanos }: Moment): { seconds: number; rest: number } {
  const rest = ((nanos % SECOND) + SECOND) % SECOND;
  return { seconds: Number((nanos - rest) / SECOND), rest: Number(rest) };
}

/** Writes RFC 3339 in UTC. @param least the minimum number of decimals. */
export function writeMoment(moment: Moment, least = 0): string {
  const { seconds, rest } = splitMoment(moment);
  const { year, month, day, hour, minute, second } = civilOf(seconds);
  const [y, ...others] = [String(year).padStart(4, '0'), ...[month, day, hour, minute, second].map(twoDigits)];
  const [m, d, h, n, s] = others;
  return `${y}-${m}-${d}T${h}:${n}:${s}${writeDecimals(rest, least)}Z`;
}

/** Writes seconds, such as `3730.5s`. */
export function writeSpan({ nanos }: Span): string {
  const size = nanos < 0n ? -nanos : nanos;
  return `${nanos < 0n ? '-' : ''}${size / SECOND}${writeDecimals(Number(size % SECOND), 0)}s`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

function writeDecimals(nanos: number, least: number): string {
  const digits = String(nanos).padStart(9, '0').replace(/0+$/, '').padEnd(least, '0');
  return digits === '' ? '' : `.${digits}`;
}

const UNITS: Record<string, bigint> = {
  ...{ h: 3600n * SECOND, m: 60n * SECOND, s: SECOND, ms: MILLISECOND },
  ...{ us: 1000n, µs: 1000n, μs: 1000n, ns: 1n },
};
const SPAN_PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

/** Reads `1h30m` or `-1.5s`; `0` needs no unit. @throws Failure for any other text. */
export function readSpan(text: string): Span {
  const refuse = (): never => fail(`duration() takes a duration such as 1h30m, not ${JSON.stringify(text)}`);
  const isNegative = text.startsWith('-');
  const unsigned = /^[-+]/.test(text) ? text.slice(1) : text;
  if (unsigned === '0') return new Span(0n);
  let nanos = 0n;
  let at = 0;
  do {
    SPAN_PART.lastIndex = at;
    const match = SPAN_PART.exec(unsigned);
    if (!match) return refuse();
    at += match[0].length;
    const unit = UNITS[match[2] as string] as bigint;
    const [whole = '', decimals = ''] = (match[1] as string).split('.');
    const shown = decimals.slice(0, 15);
    nanos += BigInt(whole || '0') * unit + (BigInt(shown || '0') * unit) / 10n ** BigInt(shown.length);
  } while (at < unsigned.length);
  return spanOf(isNegative ? -nanos : nanos);
}
