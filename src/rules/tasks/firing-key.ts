/** Names of schedules: short enough that the keys of their tasks are keys of users. */
export const SCHEDULE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

/**
 * The key of the task that a firing starts: the same moment of the same schedule is the same task.
 *
 * @param at the moment it was scheduled for. @returns such as `nightly-20261123T030000Z`.
 */
export function firingKey(schedule: string, at: Date): string {
  return `${schedule}-${at
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:]/g, '')}`;
}
