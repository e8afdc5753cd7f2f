interface Field {
  name: string;
  least: number;
  greatest: number;
  names?: readonly string[];
  /** The number of the first of `names`. */
  first?: number;
  /** Minimum length of an abbreviated name. */
  letters?: number;
}

const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const DAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');

const SECOND: Field = { name: 'second', least: 0, greatest: 59 };
const YEAR: Field = { name: 'year', least: 2000, greatest: 2100 };
const USUAL: readonly Field[] = [
  { name: 'minute', least: 0, greatest: 59 },
  { name: 'hour', least: 0, greatest: 23 },
  { name: 'day of month', least: 1, greatest: 31 },
  { name: 'month', least: 1, greatest: 12, names: MONTHS, first: 1, letters: 3 },
  { name: 'day of week', least: 0, greatest: 7, names: DAYS, first: 0, letters: 2 },
];

const FIELDS: Readonly<Record<number, readonly Field[]>> = {
  5: USUAL,
  6: [...USUAL, YEAR],
  7: [SECOND, ...USUAL, YEAR],
};

const SHORTHANDS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
const EVERY = /^@every (\d+(\.\d+)?(ms|s|m|h|d))+(\/(\d+(\.\d+)?(ms|s|m|h|d))+)?$/;

/**
 * The error in a cron expression, as the Temporal server reads it, if any. Five fields, six with years, seven with
 * seconds too; also `@daily`, `@every 2h`. Comments and time zones are refused: a schedule has fields for both.
 */
export function cronMistake(cron: string): string | undefined {
  const text = cron.trim();
  if (/^(CRON_)?TZ=/.test(text)) return 'the time zone has a field of its own, `timezone`';
  if (text.includes('#')) return 'a comment belongs beside it';
  if (text.startsWith('@')) return shorthandMistake(text);
  const parts = text.split(/\s+/);
  const fields = FIELDS[parts.length];
  if (!fields) return `it has ${parts.length} fields, and 5 are usual (6 with years, 7 with seconds and years)`;
  for (const [index, field] of fields.entries()) {
    const wrong = (parts[index] ?? '').split(',').find((part) => !isRange(part, field));
    if (wrong === undefined) continue;
    return `the ${field.name} cannot be ${JSON.stringify(wrong)}: it is ${field.least} to ${field.greatest}`;
  }
  return undefined;
}

function shorthandMistake(text: string): string | undefined {
  if (SHORTHANDS.includes(text) || EVERY.test(text)) return undefined;
  return `${JSON.stringify(text)} is none of ${SHORTHANDS.join(', ')}, @every 2h`;
}

/** `*`, a value, or a range, each with or without a step. */
function isRange(part: string, field: Field): boolean {
  const [range = '', step, ...tooMany] = part.split('/');
  if (tooMany.length > 0 || (step !== undefined && !(isNumber(step) && Number(step) >= 1))) return false;
  if (range === '*') return true;
  const [start, end, ...more] = range.split('-').map((value) => numberIn(value, field));
  if (start === undefined || more.length > 0) return false;
  return range.includes('-') ? end !== undefined && end >= start : true;
}

function numberIn(text: string, { least, greatest, names = [], first = 0, letters = 0 }: Field): number | undefined {
  const named = text.length < letters ? -1 : names.findIndex((name) => name.startsWith(text.toLowerCase()));
  if (named >= 0 && text !== '') return named + first;
  const value = Number(text);
  return isNumber(text) && value >= least && value <= greatest ? value : undefined;
}

function isNumber(text: string): boolean {
  return /^\d{1,9}$/.test(text);
}
