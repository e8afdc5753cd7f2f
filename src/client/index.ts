/** The public TypeScript API: what a caller can do. Doors use this and nothing below it. */

export type { LastApproved } from '../rules/tasks/shown-approvals.js';
export { type CommandProvider, commandProvider, scriptedProvider } from './agent/providers.js';
export { runSession } from './agent/run-session.js';
export type { SessionRunOptions } from './agent/run-state.js';
export { decide, openApprovals } from './approvals/decide.js';
export { grantNotFound, listGrants, placeOfGrant, revokeGrant } from './approvals/grants.js';
export { type Prover, withProof } from './approvals/prove.js';
export type { ShownApproval } from './approvals/read-approvals.js';
export { findLastApproved, listApprovals, readApprovals, unlessMissing } from './approvals/read-approvals.js';
export { cancelTask, pauseTask, resumeTask, runTask, signalTask } from './change/control-task.js';
export type { DeleteEnd, DeleteOptions } from './change/delete-task.js';
export { deleteTask } from './change/delete-task.js';
export { changeInput } from './change/request-input-change.js';
export { checkBuilds } from './checks/check-builds.js';
export {
  checkAttributes,
  checkClock,
  checkDispatch,
  checkFormerNames,
  checkRetention,
  checkWorkers,
} from './checks/check-server.js';
export {
  type Connection,
  type ConnectOptions,
  connect,
  connectWithin,
} from './connection/connect.js';
export { keepingRuntime, restartNote } from './connection/keep-runtime.js';
export { taskNotFound } from './connection/temporal-errors.js';
export { explainTask } from './explain/explain-task.js';
export type { ListedTask, ListFilter, TaskPage } from './list/list-tasks.js';
export { listTaskPage, listTasks } from './list/list-tasks.js';
export type { OpenFigures, QueueFigures, TaskEnd } from './list/task-figures.js';
export { countOpen, readEnds, readQueues } from './list/task-figures.js';
export {
  findHandled,
  type HandledTask,
  handleOf,
  listHandled,
  newTaskSecret,
  readHandle,
} from './list/task-handles.js';
export type { TaskFilter } from './list/task-query.js';
export { checkSpec } from './schedules/check-spec.js';
export type { FiredTask, LastFiring } from './schedules/read-firings.js';
export type { SeenSchedule, ShownSchedule } from './schedules/schedules.js';
export * from './schedules/schedules.js';
export type { NewSession, SeenSession } from './sessions/sessions.js';
export {
  noteInSession,
  placeOfSession,
  promptSession,
  readThread,
  showSession,
  startSession,
  stopSession,
} from './sessions/sessions.js';
export { createTask } from './start/create-task.js';
export type { GivenFiles } from './start/files-as-input.js';
export { generateTaskKey, isGeneratedKey } from './start/keys.js';
export type { CreatedTask, NewTask } from './start/new-task.js';
export type { Retry } from './start/retry-task.js';
export { readWayToRetry, retryTask } from './start/retry-task.js';
export { UNSERVED_MS } from './start/start-request.js';
export type { FetchedHistory } from './view/fetch-histories.js';
export { fetchHistories } from './view/fetch-histories.js';
export { placeOfTask } from './view/place-of-task.js';
export { fetchCallLogs, type LogLine, linesOf, readCallLogs } from './view/read-call-logs.js';
export type { TaskChain } from './view/read-chain.js';
export { readChain } from './view/read-chain.js';
export { readHost, readInput } from './view/read-origin.js';
export { findRecord, readRecord } from './view/read-record.js';
export { awaitResult, linksOf } from './view/read-result.js';
export { fetchSharedRecord, SharedLogs, type SharedRecord, sharedStore } from './view/shared-task.js';
export type { TakenFile } from './view/take-files.js';
export { takeFiles } from './view/take-files.js';
export { hasEnded, type OpenTask, type SeenTask, type Source, viewOwnTask, viewTask } from './view/view-task.js';
export type { Stall } from './watch/find-stall.js';
export { followEvents } from './watch/follow-events.js';
export { ApprovalPatience } from './watch/refuse-stuck.js';
export type { TaskNow, WaitEnd, WaitOptions } from './watch/wait-for-task.js';
export { waitForTask } from './watch/wait-for-task.js';
export type { CallAttempt } from './watch/watch-attempts.js';
