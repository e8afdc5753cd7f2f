import { memoizeText } from '../../../text/memoize.js';
import { fail } from '../language/kinds.js';
import { civilOf, daysFromCivil } from '../language/moments.js';
import { FIXED_OFFSET, fieldsOfZone } from './named-zones.js';

/** The changes of a zone's clocks since 1970, and the rule for later ones. In seconds. */
interface Zone {
  /** Times of the changes since 1970, ascending. */
  changes: readonly number[];
  /** Offsets east of Greenwich: one before the first change, and one after each. */
  offsets: readonly number[];
  rule: ZoneRule;
}

/**
 * Seconds east of Greenwich. @param moment seconds since 1970. Uses a table of this build, not Node's, which
 * differs between versions, so that a history replays everywhere.
 * @throws Failure for a nonexistent zone, and for a named zone before 1970.
 */
export function offsetOf(name: string, moment: number): number {
  if (name === 'UTC') return 0;
  const fixed = FIXED_OFFSET.exec(name);
  if (fixed) return (fixed[1] === '-' ? -1 : 1) * (Number(fixed[2]) * 3600 + Number(fixed[3]) * 60);
  const { changes, offsets, rule } = zoneOf(name);
  if (moment < 0) fail(`the time zone ${name} is known from 1970 on; write an offset such as +01:00`);
  const last = changes.at(-1);
  if (last === undefined || moment >= last) return offsetByRule(rule, moment);
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle] as number) <= moment) low = middle + 1;
    else high = middle;
  }
  return offsets[low] as number;
}

/** More than there are. */
const MAX_ZONES = 1000;

const zoneOf = memoizeText(MAX_ZONES, (name): Zone => {
  const fields = fieldsOfZone(name);
  if (!fields) return fail(`there is no time zone ${JSON.stringify(name)}`);
  const [rule = '', kinds = '', order = '', deltas = ''] = fields;
  const all = kinds.split(' ').map((kind) => Number.parseInt(kind, 36));
  let at = 0;
  const changes = deltas === '' ? [] : deltas.split(' ').map((delta) => (at += Number.parseInt(delta, 36)));
  const offsets = [...order].map((index) => all[Number.parseInt(index, 36)] as number);
  return { changes, offsets, rule: readZoneRule(rule) };
});

/** Yearly rule of a zone's clocks, from the last line of its file in the time zone database. */
interface ZoneRule {
  /** Seconds east of Greenwich. */
  standard: number;
  /** Absent if the zone has no summer time. */
  summer?: { offset: number; from: Change; to: Change };
}

/** A change on the nth weekday of a month; 5: the last one. */
interface Change {
  month: number;
  week: number;
  weekday: number;
  /** Seconds after midnight by the clock before the change; may be negative, or more than a day. */
  at: number;
}

const OFFSET = '([-+]?\\d+(?::\\d+){0,2})';
const NAME = '(?:<[^>]+>|[A-Za-z]+)';
const CHANGE = ',M(\\d+)\\.(\\d)\\.(\\d)(?:/([-+]?\\d+(?::\\d+){0,2}))?';
const RULE = new RegExp(`^${NAME}${OFFSET}(?:${NAME}${OFFSET}?${CHANGE}${CHANGE})?$`);

/**
 * Reads `CET-1CEST,M3.5.0,M10.5.0/3`. Source: POSIX, environment variable TZ, and RFC 9636, 3.3.
 * @throws Error for a form that the database has not used so far.
 */
export function readZoneRule(text: string): ZoneRule {
  const match = RULE.exec(text);
  if (!match) throw new Error(`The rule ${text} of a time zone cannot be read`);
  const standard = -secondsOf(match[1] as string);
  if (match[3] === undefined) return { standard };
  const offset = match[2] === undefined ? standard + 3600 : -secondsOf(match[2]);
  return { standard, summer: { offset, from: changeOf(match.slice(3, 7)), to: changeOf(match.slice(7, 11)) } };
}

function changeOf([month, week, weekday, at = '2']: (string | undefined)[]): Change {
  return { month: Number(month), week: Number(week), weekday: Number(weekday), at: secondsOf(at) };
}

function secondsOf(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(/^[-+]/, '').split(':').map(Number);
  return (text.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
}

/** Seconds east of Greenwich. @param moment seconds since 1970. */
export function offsetByRule({ standard, summer }: ZoneRule, moment: number): number {
  if (!summer) return standard;
  const { year } = civilOf(moment + standard);
  const from = momentOfChange(year, summer.from, standard);
  const to = momentOfChange(year, summer.to, summer.offset);
  const isSummer = from < to ? moment >= from && moment < to : moment >= from || moment < to;
  return isSummer ? summer.offset : standard;
}

function momentOfChange(year: number, { month, week, weekday, at }: Change, offset: number): number {
  const first = daysFromCivil(year, month, 1);
  const firstWeekday = (((first + 4) % 7) + 7) % 7;
  let day = first + ((weekday - firstWeekday + 7) % 7) + (week - 1) * 7;
  const next = month === 12 ? daysFromCivil(year + 1, 1, 1) : daysFromCivil(year, month + 1, 1);
  while (day >= next) day -= 7;
  return day * 86_400 + at - offset;
}
