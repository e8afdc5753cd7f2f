import { pauseSchedule } from '../../../../client/index.js';
import { holdingSchedule } from './hold-schedule.js';

/** `ability schedule pause NAME`. */
export const run = holdingSchedule('paused', pauseSchedule);
