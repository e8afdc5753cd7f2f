/** Ascending values of each field; days of the week from 0, Sunday, to 6. */
export interface Cron {
  minute: number[];
  hour: number[];
  dayOfMonth: number[];
  month: number[];
  dayOfWeek: number[];
  /** Either day is enough: both are restricted. */
  eitherDay: boolean;
  /** Fires whenever the clock shows one of its times: its minute or hour begins with `*`. */
  isFrequent: boolean;
}

interface Field {
  name: string;
  least: number;
  greatest: number;
  /** Three letters each, from the least value on. */
  names?: readonly string[];
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const FIELDS: readonly Field[] = [
  { name: 'minute', least: 0, greatest: 59 },
  { name: 'hour', least: 0, greatest: 23 },
  { name: 'day of month', least: 1, greatest: 31 },
  { name: 'month', least: 1, greatest: 12, names: MONTHS },
  { name: 'day of week', least: 0, greatest: 7, names: 'sun mon tue wed thu fri sat'.split(' ') },
];
const SHORTHANDS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Reads five fields, or `@daily` and the like, as crontab(5) of Vixie cron does: the days are joined by *or* if
 * neither field begins with `*`; Sunday is 0 or 7; names have three letters.
 * @returns the mistake as text, if it is something else or never fires.
 */
export function readCron(text: string): Cron | string {
  const trimmed = text.trim();
  if (/^(CRON_)?TZ=/.test(trimmed)) return 'the time zone has a field of its own, `timezone`';
  if (/(^|\s)#/.test(trimmed)) return 'a comment belongs beside it';
  if (trimmed.startsWith('@') && !Object.hasOwn(SHORTHANDS, trimmed)) {
    return `${JSON.stringify(trimmed)} is none of ${Object.keys(SHORTHANDS).join(', ')}`;
  }
  const parts = (SHORTHANDS[trimmed] ?? trimmed).split(/\s+/);
  if (parts.length !== 5) return `it has ${parts.length} fields, and cron has 5, without seconds and years`;
  const read: number[][] = [];
  for (const [index, field] of FIELDS.entries()) {
    const values = valuesIn(parts[index] as string, field);
    if (typeof values === 'string') return values;
    read.push(values);
  }
  const [minute, hour, dayOfMonth, month, dayOfWeek] = read as [number[], number[], number[], number[], number[]];
  const isOpen = parts.map((part) => part.startsWith('*'));
  const eitherDay = !isOpen[2] && !isOpen[4];
  if (!eitherDay && !month.some((one) => (dayOfMonth[0] as number) <= (LONGEST[one - 1] as number))) {
    return `it never fires: no ${month.map((one) => MONTHS[one - 1]).join(' or ')} has a day ${dayOfMonth[0]}`;
  }
  const isFrequent = Boolean(isOpen[0] || isOpen[1]) || hour.length === 24;
  return { minute, hour, dayOfMonth, month, dayOfWeek, eitherDay, isFrequent };
}

/** @returns the mistake, as text. */
function valuesIn(text: string, field: Field): number[] | string {
  const found = new Set<number>();
  for (const part of text.split(',')) {
    const values = valuesOf(part, field);
    if (typeof values === 'string') return `the ${field.name} cannot be ${JSON.stringify(part)}: ${values}`;
    for (const value of values) found.add(field.greatest === 7 ? value % 7 : value);
  }
  return [...found].sort((one, other) => one - other);
}

/** `*`, a value or a range; steps only after `*` and ranges. @returns what is allowed, for something else. */
function valuesOf(part: string, field: Field): number[] | string {
  const { name, least, names } = field;
  const greatest = name === 'day of week' && part.startsWith('*') ? 6 : field.greatest;
  const [, first = '', last, by] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d{1,9}))?$/.exec(part) ?? [];
  const start = first === '*' ? least : numberIn(first, field);
  const end = first === '*' ? greatest : last === undefined ? start : numberIn(last, field);
  const step = Number(by ?? 1);
  if (start === undefined || end === undefined || (first === '*' && last !== undefined)) {
    if (/^[\w-]*(#\d|[LW?])$/i.test(part)) return '`#`, `L`, `W` and `?` are not read as cron';
    return `it is ${least} to ${field.greatest}${names ? `, or ${names[0]} to ${names.at(-1)}` : ''}`;
  }
  if (by !== undefined && first !== '*' && last === undefined) return `write ${first}-${greatest}/${by}`;
  if (step < 1 || step > field.greatest) return `a step is 1 to ${field.greatest}`;
  if (end < start) {
    const low = least === end ? `${least}` : `${least}-${end}`;
    const high = name === 'day of week' ? 6 : greatest;
    return by === undefined ? `write ${high === start ? start : `${start}-${high}`},${low}` : 'a range cannot go back';
  }
  return Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, index) => start + index * step);
}

function numberIn(text: string, { least, greatest, names }: Field): number | undefined {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  const value = named >= 0 ? named + least : /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  return value !== undefined && value >= least && value <= greatest ? value : undefined;
}
