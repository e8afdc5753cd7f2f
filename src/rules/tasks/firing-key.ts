/** Short enough that `<schedule>-<time>` is a valid task key. */
export const SCHEDULE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

/** Such as `nightly-20261123T030000Z`. @param at the scheduled time, so that each firing is one task. */
export function firingKey(schedule: string, at: Date): string {
  return `${schedule}-${at
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:]/g, '')}`;
}
