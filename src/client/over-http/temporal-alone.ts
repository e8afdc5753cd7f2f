/** Functions without a route in the door, which fail over HTTP; docs/http.md lists them. */
import * as running from '../agent/run-session.js';
import * as approvals from '../approvals/read-approvals.js';
import * as control from '../change/control-task.js';
import * as deleting from '../change/delete-task.js';
import * as inputs from '../change/request-input-change.js';
import * as checks from '../checks/check-server.js';
import * as explaining from '../explain/explain-task.js';
import * as figures from '../list/task-figures.js';
import * as handles from '../list/task-handles.js';
import * as schedules from '../schedules/schedules.js';
import * as sessions from '../sessions/sessions.js';
import * as retrying from '../start/retry-task.js';
import * as histories from '../view/fetch-histories.js';
import * as origins from '../view/read-origin.js';
import * as records from '../view/read-record.js';
import * as taking from '../view/take-files.js';
import { temporalAlone } from './http-connection.js';

export const { runSession } = temporalAlone(running);
export const { findLastApproved } = temporalAlone(approvals);
export const { pauseTask, resumeTask } = temporalAlone(control);
export const { deleteTask } = temporalAlone(deleting);
export const { changeInput } = temporalAlone(inputs);
export const { checkAttributes, checkClock, checkDispatch, checkFormerNames, checkRetention, checkWorkers } =
  temporalAlone(checks);
export const { explainTask } = temporalAlone(explaining);
export const { countOpen, readEnds, readQueues } = temporalAlone(figures);
export const { findHandled, listHandled, readHandle } = temporalAlone(handles);
export const {
  backfillSchedule,
  changeSchedule,
  createSchedule,
  deleteSchedule,
  findSchedules,
  fireSchedule,
  listSchedules,
  pauseSchedule,
  resumeSchedule,
  showSchedule,
  untilListed,
} = temporalAlone(schedules);
export const { noteInSession, readThread } = temporalAlone(sessions);
export const { readWayToRetry, retryTask } = temporalAlone(retrying);
export const { fetchHistories } = temporalAlone(histories);
export const { readHost, readInput } = temporalAlone(origins);
export const { findRecord } = temporalAlone(records);
export const { takeFiles } = temporalAlone(taking);
