/**
 * The library: a project's functions for programs. Public; test/unit/doors/library/surface.test.ts lists its exports.
 */
export type {
  CommandProvider,
  CreatedTask,
  DeleteEnd,
  DeleteOptions,
  GivenFiles,
  ListedTask,
  ListFilter,
  NewSession,
  OpenTask,
  Retry,
  SeenSchedule,
  SeenSession,
  SeenTask,
  SessionRunOptions,
  ShownApproval,
  ShownSchedule,
  Stall,
  TaskChain,
  TaskFilter,
  TaskPage,
  WaitEnd,
  WaitOptions,
} from '../../client/index.js';
export { commandProvider, generateTaskKey, scriptedProvider } from '../../client/index.js';
export type { Approval, Decision, DecisionOutcome, Verdict } from '../../contracts/approvals.js';
export type { Caller, Person } from '../../contracts/callers.js';
export type { Json, JsonObject } from '../../contracts/json.js';
export { AbilityError, type Problem, type SourceLocation } from '../../contracts/problem.js';
export type { ScheduleSpec } from '../../contracts/schedules.js';
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
export { createTask, type TaskOptions } from './create-task.js';
export {
  awaitResult,
  backfillSchedule,
  cancelTask,
  changeInput,
  createSchedule,
  decide,
  deleteSchedule,
  deleteTask,
  explainTask,
  fireSchedule,
  followEvents,
  linkOf,
  listApprovals,
  listSchedules,
  listTaskPage,
  listTasks,
  openApprovals,
  pauseSchedule,
  pauseTask,
  promptSession,
  readApprovals,
  readChain,
  resumeSchedule,
  resumeTask,
  retryTask,
  runSession,
  runTask,
  showSchedule,
  showSession,
  signalTask,
  startSession,
  stopSession,
  viewTask,
  waitForTask,
  withProof,
} from './operations.js';
export { type RunOptions, runAbility } from './run-ability.js';
