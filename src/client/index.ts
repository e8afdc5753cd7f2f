/** The public TypeScript API: what a caller can do. Doors use this and nothing below it. */
export { changeInput } from './change-input.js';
export { checkFormerNames } from './check-former-names.js';
export { checkAttributes, checkDispatch, checkRetention, checkWorkers } from './check-server.js';
export { type Connection, type ConnectOptions, connect } from './connect.js';
export { cancelTask, pauseTask, resumeTask, runTask, signalTask } from './control-task.js';
export { type CreatedTask, createTask, type NewTask } from './create-task.js';
export { decide, openApprovals } from './decide.js';
export { type DeleteEnd, type DeleteOptions, deleteTask } from './delete-task.js';
export { type Delivery, type DeliveryState, deliver } from './deliver.js';
export { explainTask } from './explain-task.js';
export { type FetchedHistory, fetchHistories } from './fetch-histories.js';
export type { Stall } from './find-stall.js';
export { followEvents } from './follow-events.js';
export type { GivenFiles } from './give-files.js';
export { keepingRuntime } from './keep-runtime.js';
export { linkOf } from './links.js';
export { type ListedTask, type ListFilter, listTaskPage, listTasks, type TaskPage } from './list-tasks.js';
export { withProof } from './prove-decision.js';
export {
  findLastApproved,
  type LastApproved,
  listApprovals,
  readApprovals,
  type ShownApproval,
} from './read-approvals.js';
export { type LogLine, linesOf, readCallLogs } from './read-call-logs.js';
export { readChain, type TaskChain } from './read-chain.js';
export type { FiredTask } from './read-firings.js';
export { readHost, readInput, readRecordPlace } from './read-origin.js';
export { findRecord, readRecord } from './read-record.js';
export { awaitResult } from './read-result.js';
export { readWayToRetry } from './read-way-to-retry.js';
export { earlierKeys, nextKey } from './retried-key.js';
export { type Retry, retryTask } from './retry-task.js';
export {
  backfillSchedule,
  changeSchedule,
  createSchedule,
  deleteSchedule,
  fireSchedule,
  listSchedules,
  pauseSchedule,
  resumeSchedule,
  type SeenSchedule,
  type ShownSchedule,
  showSchedule,
} from './schedules.js';
export {
  type NewSession,
  promptSession,
  type SeenSession,
  showSession,
  startSession,
  stopSession,
} from './sessions.js';
export { fetchSharedRecord, SharedLogs, type SharedRecord, sharedStore } from './shared-task.js';
export { type TakenFile, takeFiles } from './take-files.js';
export { findHandled, type HandledTask, handleOf, listHandled, newTaskSecret, readHandle } from './task-handles.js';
export { LISTED_STATES, type ListedState, type TaskFilter } from './task-query.js';
export { hasEnded, type OpenTask, type SeenTask, viewOwnTask, viewTask } from './view-task.js';
export { type TaskNow, type WaitEnd, type WaitOptions, waitForTask } from './wait-for-task.js';
export type { CallAttempt } from './watch-attempts.js';
