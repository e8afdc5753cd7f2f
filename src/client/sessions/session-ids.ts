import { monotonicFactory } from 'ulid';
import { USER_KEY } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';

const nextUlid = monotonicFactory();

/** A new id: `s-` and a lower-case ULID, so that ids sort by time. */
export function generateSessionId(): string {
  return `s-${nextUlid().toLowerCase()}`;
}

/** @throws AbilityError `usage.invalid` for what is no id of a session. */
export function checkSessionId(id: string): string {
  if (USER_KEY.test(id)) return id;
  throw new AbilityError({
    code: 'usage.invalid',
    message: `${JSON.stringify(id)} is no id of a session`,
    suggestion: 'It has 1 to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit.',
  });
}
