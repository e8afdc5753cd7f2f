import * as client from '../../client/index.js';
import { type Reached, reached } from './connection.js';

/**
 * Creates a schedule; the same one again changes nothing.
 *
 * @throws AbilityError `schedule.exists`, `usage.invalid`, `placement.no_worker`.
 */
export const createSchedule: Reached<typeof client.createSchedule> = reached(client.createSchedule);

/** The schedules of the project, by name. */
export const listSchedules: Reached<typeof client.listSchedules> = reached(client.listSchedules);

/** A schedule, with when it fired and will fire. @throws AbilityError `schedule.not_found`. */
export const showSchedule: Reached<typeof client.showSchedule> = reached(client.showSchedule);

/** Pauses a schedule; the note says why. @throws AbilityError `schedule.not_found`. */
export const pauseSchedule: Reached<typeof client.pauseSchedule> = reached(client.pauseSchedule);

/** Lets a paused schedule fire again. @throws AbilityError `schedule.not_found`. */
export const resumeSchedule: Reached<typeof client.resumeSchedule> = reached(client.resumeSchedule);

/** Fires a schedule now. @throws AbilityError `schedule.not_found`. */
export const fireSchedule: Reached<typeof client.fireSchedule> = reached(client.fireSchedule);

/** Fires a schedule as often as it would have fired between two moments. @throws AbilityError `schedule.not_found`. */
export const backfillSchedule: Reached<typeof client.backfillSchedule> = reached(client.backfillSchedule);

/** Deletes a schedule; tasks that it started go on. @throws AbilityError `schedule.not_found`. */
export const deleteSchedule: Reached<typeof client.deleteSchedule> = reached(client.deleteSchedule);
