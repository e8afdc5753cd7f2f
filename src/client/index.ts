/** The public TypeScript API: what a caller can do. Doors use this and nothing below it. */
export { type CommandProvider, commandProvider } from './agent/provider-command.js';
export { scriptedProvider } from './agent/provider-scripted.js';
export type { SessionRunOptions } from './agent/run-state.js';
export { type Connection, type ConnectOptions, connect, connectWithin } from './connect.js';
export type { CreatedTask } from './create-task.js';
export type { DeleteEnd, DeleteOptions } from './delete-task.js';
export type { Delivery, DeliveryState } from './deliver.js';
export type { FetchedHistory } from './fetch-histories.js';
export type { Stall } from './find-stall.js';
export type { GivenFiles } from './give-files.js';
export { linkOf } from './links.js';
export type { ListedTask, ListFilter, TaskPage } from './list-tasks.js';
export type { NewTask } from './new-task.js';
export type { HttpConnectOptions } from './over-http/connect-options.js';
export {
  awaitResult,
  cancelTask,
  createTask,
  decide,
  followEvents,
  keepingRuntime,
  listApprovals,
  listTaskPage,
  listTasks,
  openApprovals,
  promptSession,
  readApprovals,
  readChain,
  runTask,
  showSession,
  signalTask,
  startSession,
  stopSession,
  viewOwnTask,
  viewTask,
  waitForTask,
  withProof,
} from './over-http/reach.js';
export {
  backfillSchedule,
  changeInput,
  changeSchedule,
  checkAttributes,
  checkDispatch,
  checkFormerNames,
  checkRetention,
  checkWorkers,
  countOpen,
  createSchedule,
  deleteSchedule,
  deleteTask,
  deliver,
  explainTask,
  fetchHistories,
  findHandled,
  findLastApproved,
  findRecord,
  fireSchedule,
  listHandled,
  listSchedules,
  noteInSession,
  pauseSchedule,
  pauseTask,
  readEnds,
  readHandle,
  readHost,
  readInput,
  readQueues,
  readRecordPlace,
  readThread,
  readWayToRetry,
  resumeSchedule,
  resumeTask,
  retryTask,
  runSession,
  showSchedule,
  takeFiles,
} from './over-http/temporal-alone.js';
export type { LastApproved, ShownApproval } from './read-approvals.js';
export { type LogLine, linesOf, readCallLogs } from './read-call-logs.js';
export type { TaskChain } from './read-chain.js';
export type { FiredTask } from './read-firings.js';
export { readRecord } from './read-record.js';
export { earlierKeys, nextKey } from './retried-key.js';
export type { Retry } from './retry-task.js';
export type { SeenSchedule, ShownSchedule } from './schedules.js';
export type { NewSession, SeenSession } from './sessions.js';
export { fetchSharedRecord, SharedLogs, type SharedRecord, sharedStore } from './shared-task.js';
export type { TakenFile } from './take-files.js';
export type { OpenFigures, QueueFigures, TaskEnd } from './task-figures.js';
export { type HandledTask, handleOf, newTaskSecret } from './task-handles.js';
export { generateTaskKey } from './task-keys.js';
export { LISTED_STATES, type ListedState, type TaskFilter } from './task-query.js';
export { hasEnded, type OpenTask, type SeenTask } from './view-task.js';
export type { TaskNow, WaitEnd, WaitOptions } from './wait-for-task.js';
export type { CallAttempt } from './watch-attempts.js';
