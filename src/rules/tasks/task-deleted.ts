import type { Tombstone } from '../../contracts/deletion.js';
import { AbilityError } from '../../contracts/problem.js';
import { keyOfOther, nameOf } from './other-project.js';

/** The error for a task with only a tombstone left. @param project of the task, if it is not the caller's. */
export function taskDeleted(tombstone: Tombstone, project?: string): AbilityError {
  const { task_key, ability_id, environment, deleted_at, deleted_by, purged } = tombstone;
  return new AbilityError({
    code: 'task.deleted',
    message: `${task_key} (${ability_id} in ${environment}${project === undefined ? '' : ` of ${nameOf(project)}`}) was deleted by ${deleted_by.name} (${deleted_by.source}) at ${deleted_at}`,
    details: { ability_id, environment, deleted_at, deleted_by, purged, ...(project !== undefined && { project }) },
    suggestion: 'Its key is not given out again; run the ability under another one.',
  });
}

/** The error for a request under the key of a task that was deleted, or is being deleted. */
export function keyOfDeleted(
  key: string,
  { project: holder, deletion }: { project: string; deletion: Tombstone | 'under way' },
  project: string,
): AbilityError {
  if (holder !== project) return keyOfOther(key, holder, project);
  return deletion === 'under way' ? beingDeleted(key) : taskDeleted(deletion);
}

export function beingDeleted(key: string): AbilityError {
  return new AbilityError({
    code: 'task.deleted',
    message: `${key} is being deleted`,
    suggestion: 'Its key is not given out again; run the ability under another one.',
  });
}
