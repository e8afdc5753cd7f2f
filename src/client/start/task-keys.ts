import { monotonicFactory } from 'ulid';
import { USER_KEY } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';

const nextUlid = monotonicFactory();

/** A new key: `t-` and a lower-case ULID, so that keys sort by time. Source: docs/architecture.md#what-lives-where-in-temporal. */
export function generateTaskKey(): string {
  return `t-${nextUlid().toLowerCase()}`;
}

/** @throws AbilityError `task.key_invalid` for a key a user may not choose. */
export function checkUserKey(key: string): string {
  if (USER_KEY.test(key)) return key;
  throw new AbilityError({
    code: 'task.key_invalid',
    message: `${JSON.stringify(key)} is no task key`,
    suggestion: 'A key has 1 to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit.',
  });
}
