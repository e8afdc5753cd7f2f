import { resumeSchedule } from '../../../../client/index.js';
import { holdingSchedule } from './hold-schedule.js';

/** `ability schedule resume NAME`. */
export const run = holdingSchedule('resumed', resumeSchedule);
