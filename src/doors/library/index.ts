/**
 * The library: a project's functions for programs. Public; test/unit/doors/library/surface.test.ts lists its exports.
 */
import { type Functions, functions } from './operations.js';

export type {
  CommandProvider,
  GivenFiles,
  ListedTask,
  SeenSchedule,
  SeenSession,
  SessionRunOptions,
  ShownApproval,
  ShownSchedule,
  Stall,
  TaskPage,
  WaitEnd,
  WaitOptions,
} from '../../client/index.js';
export { commandProvider, generateTaskKey, scriptedProvider } from '../../client/index.js';
export type { Approval, DecisionOutcome, Verdict } from '../../contracts/approvals.js';
export type { Caller, Person } from '../../contracts/callers.js';
export type { Json, JsonObject } from '../../contracts/json.js';
export { AbilityError, type Problem, type SourceLocation } from '../../contracts/problem.js';
export type { TurnContext } from '../../contracts/session.js';
export {
  END_STATES,
  type EndState,
  EXIT,
  EXIT_OF_STATE,
  type ExitCode,
  isEndState,
  OPEN_STATES,
  type TaskState,
} from '../../contracts/states.js';
export type { TaskStory } from '../../contracts/story.js';
export type { TaskResult } from '../../contracts/task.js';
export { type Connection, connect, type DoorOptions, type ProjectOptions } from './connection.js';
export { createTask, type NewTask, type TaskInput, type TaskOptions } from './create-task.js';
export type { CallOptions } from './operations.js';
export { type RunOptions, runAbility, runSession } from './run-ability.js';
export { awaitResult, waitForTask } from './wait-for-task.js';

export const {
  runAbility: run,
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
}: Functions = functions;
