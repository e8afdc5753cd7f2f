import { AbilityError } from '../../../contracts/problem.js';
import { isDuration, parseDuration } from '../../../rules/duration.js';

/** A day, or a moment of it; without a zone it is UTC, as in everything that is printed. */
const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/i;

/**
 * Reads `--since`: a duration back from now (`24h`), or a timestamp (`2026-01-31`, `2026-01-31T08:00:00+01:00`).
 *
 * @param now milliseconds since 1970.
 * @throws AbilityError `usage.invalid`.
 */
export function readSince(text: string, now: number): Date {
  if (isDuration(text)) return new Date(now - parseDuration(text));
  const [, day, time = '00:00', zone = 'Z'] = TIMESTAMP.exec(text.trim()) ?? [];
  const date = new Date(`${day}T${time}${zone.toUpperCase()}`);
  if (day === undefined || Number.isNaN(date.getTime()) || !isDay(day)) {
    throw refuse(`--since ${text} is neither a duration nor a time`);
  }
  if (date.getTime() > now) throw refuse(`--since ${text} lies in the future`);
  return date;
}

/** The 31st of February would be read as a day of March. */
function isDay(day: string): boolean {
  return new Date(`${day}T00:00Z`).toISOString().startsWith(day);
}

function refuse(message: string): AbilityError {
  const suggestion = 'Write 30m, 24h or 7d, or a time such as 2026-01-31T08:00:00Z.';
  return new AbilityError({ code: 'usage.invalid', message, suggestion });
}
