import type { Tombstone } from '../contracts/deletion.js';
import { AbilityError } from '../contracts/problem.js';

/** The error for a task of which only a tombstone is left. */
export function taskDeleted(tombstone: Tombstone): AbilityError {
  const { task_key, ability_id, environment, deleted_at, deleted_by, purged } = tombstone;
  return new AbilityError({
    code: 'task.deleted',
    message: `${task_key} (${ability_id} in ${environment}) was deleted by ${deleted_by.name} (${deleted_by.source}) at ${deleted_at}`,
    details: { ability_id, environment, deleted_at, deleted_by, purged },
    suggestion: 'Its key is not given out again; run the ability under another one.',
  });
}

/** The error for a key whose task is being deleted at this moment. */
export function beingDeleted(key: string): AbilityError {
  return new AbilityError({
    code: 'task.deleted',
    message: `${key} is being deleted`,
    suggestion: 'Its key is not given out again; run the ability under another one.',
  });
}
