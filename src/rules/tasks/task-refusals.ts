import type { Tombstone } from '../../contracts/deletion.js';
import { AbilityError } from '../../contracts/problem.js';

/** The part of Temporal's description of a workflow that shows its project. */
export interface Described {
  memo?: Record<string, unknown> | undefined;
  searchAttributes: { readonly [name: string]: readonly unknown[] | undefined };
}

/** Empty if unknown: no project has that name. */
export function projectOf({ searchAttributes }: Described): string {
  const project = searchAttributes.AbilityProject?.[0];
  return typeof project === 'string' ? project : '';
}

export function isTask({ memo }: Described): boolean {
  return typeof memo?.ability === 'string';
}

/** The error for a command on a task of another project. */
export function otherProject(key: string, holder: string, own: string): AbilityError {
  return refusal(
    holder,
    `${key} belongs to ${nameOf(holder)}, and this is the project ${own}; nothing was changed`,
    `Run the command in the folder of ${nameOf(holder)}, or name that folder: --project DIR.`,
  );
}

/** The error for a new task whose key belongs, or belonged, to a task of another project. */
export function keyOfOther(key: string, holder: string, own: string): AbilityError {
  return refusal(
    holder,
    `The key ${key} belongs to ${nameOf(holder)}, and this is the project ${own}; nothing was created`,
    `Choose another key; \`ability task show ${key}\` shows what holds this one.`,
  );
}

export function nameOf(project: string): string {
  return project === '' ? 'a project that its start does not name' : `the project ${project}`;
}

function refusal(holder: string, message: string, suggestion: string): AbilityError {
  return new AbilityError({ code: 'task.other_project', message, suggestion, details: { project: holder } });
}

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
