/**
 * The table of what a caller can do: one operation a name, in the order of docs/http.md.
 *
 * The way in: a door finds out who calls (`OperationCaller`), opens its project (`OpenProject`), and runs an operation
 * with an input of its format. `doors/http/operation-route.ts` is the loop of the HTTP routes and their OpenAPI
 * document, `doors/library/operations.ts` that of the library, in the same process or through a door.
 */
import { decide, listApprovals, readApprovals } from './approvals.js';
import { readAuditLog } from './audit.js';
import { createTask } from './create-task.js';
import { deleteTask } from './delete-task.js';
import { describeAbility, drawAbility } from './describe-ability.js';
import { followEvents } from './follow-events.js';
import { listGaps } from './gaps.js';
import { listGrants, revokeGrant } from './grants.js';
import { listAbilities } from './list-abilities.js';
import { listPages } from './list-pages.js';
import { listRecruits } from './list-specialists.js';
import { listTasks } from './list-tasks.js';
import { listUsage } from './list-usage.js';
import type { Operation } from './operation.js';
import { planAbility } from './plan-ability.js';
import { readLogs } from './read-call-logs.js';
import { readRecord } from './read-record.js';
import { runAbility } from './run-ability.js';
import { reconcileTask, retryTask, runTask } from './run-task.js';
import {
  createSchedule,
  deleteSchedule,
  fireSchedule,
  listSchedules,
  pauseSchedule,
  resumeSchedule,
  showSchedule,
} from './schedules.js';
import { searchAbilities } from './search-abilities.js';
import { promptSession, showSession, startSession, stopSession } from './sessions.js';
import { cancelTask, pauseTask, resumeTask, signalTask } from './steer-task.js';
import { changeInput, readInput } from './task-input.js';
import { explainTask, viewTask } from './view-task.js';
import { readResult } from './wait-for-result.js';
import { watchTask } from './watch-task.js';

export const OPERATIONS = {
  runAbility,
  createTask,
  listTasks,
  viewTask,
  readInput,
  changeInput,
  runTask,
  readResult,
  readLogs,
  readRecord,
  signalTask,
  cancelTask,
  pauseTask,
  resumeTask,
  retryTask,
  reconcileTask,
  explainTask,
  deleteTask,
  followEvents,
  watchTask,
  listApprovals,
  readApprovals,
  decide,
  listGrants,
  revokeGrant,
  readAuditLog,
  listAbilities,
  describeAbility,
  planAbility,
  drawAbility,
  searchAbilities,
  listGaps,
  listPages,
  listRecruits,
  listUsage,
  startSession,
  promptSession,
  showSession,
  stopSession,
  listSchedules,
  createSchedule,
  showSchedule,
  pauseSchedule,
  resumeSchedule,
  fireSchedule,
  deleteSchedule,
};

export type Operations = typeof OPERATIONS;

/** The entries of the table, without the types of their inputs. */
export function allOperations(): [name: keyof Operations, operation: Operation<never, unknown>][] {
  return Object.entries(OPERATIONS) as unknown as [keyof Operations, Operation<never, unknown>][];
}
