import { AbilityError } from '../../contracts/problem.js';
import { parseDuration } from '../../rules/duration.js';

/** Milliseconds of a flag. @throws AbilityError `usage.invalid`. */
export function readDuration(flag: string, text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
  }
  throw new AbilityError({
    code: 'usage.invalid',
    message: `${flag} ${text} is no duration`,
    suggestion: 'Write for example 30s, 10m, 24h or 7d.',
  });
}
