import { AbilityError } from '../../../contracts/problem.js';
import { parseDuration } from '../../../rules/duration.js';

/** The duration of a flag, in milliseconds. @throws AbilityError `usage.invalid`. */
export function readDuration(flag: string, text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    const message = `${flag} ${text}: ${error instanceof Error ? error.message : String(error)}`;
    throw new AbilityError({ code: 'usage.invalid', message, suggestion: 'Write 500ms, 20s, 10m, 24h or 7d.' });
  }
}
