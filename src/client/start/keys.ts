import { USER_KEY } from '../../contracts/names.js';
import { AbilityError, usageError } from '../../contracts/problem.js';
import { isTaskKey } from '../../rules/tasks/task-ids.js';
import { generateId } from '../../server/generate-id.js';

const FORM = '1 to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit.';

/** `t-` and a lower-case ULID, sortable by time. */
export function generateTaskKey(): string {
  return generateId('t');
}

/** Whether a key is one of {@link generateTaskKey}. */
export function isGeneratedKey(key: string): boolean {
  return /^t-[0-9a-hjkmnp-tv-z]{26}$/.test(key);
}

/** @throws AbilityError `task.key_invalid` for a key that a user may not choose. */
export function checkUserKey(key: string): string {
  if (USER_KEY.test(key)) return key;
  const message = `${JSON.stringify(key)} is no task key`;
  throw new AbilityError({ code: 'task.key_invalid', message, suggestion: `A key has ${FORM}` });
}

/** @throws AbilityError `task.key_invalid` for a made key that no task may have, such as one that a suffix made too long. */
export function checkMadeKey(key: string): string {
  if (isTaskKey(key)) return key;
  const message = `${JSON.stringify(key)} is no task key`;
  throw new AbilityError({ code: 'task.key_invalid', message, suggestion: `Run the ability again; a key has ${FORM}` });
}

/** @throws AbilityError `usage.invalid` for an invalid session id. */
export function checkSessionId(id: string): string {
  if (USER_KEY.test(id)) return id;
  const message = `${JSON.stringify(id)} is no id of a session`;
  throw usageError(message, `It has ${FORM}`);
}
