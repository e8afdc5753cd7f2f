/** The public TypeScript API: what a caller can do. Doors use this and nothing below it. */
export { type CommandProvider, commandProvider, scriptedProvider } from './agent/providers.js';
export type { SessionRunOptions } from './agent/run-state.js';
export type { LastApproved, ShownApproval } from './approvals/read-approvals.js';
export type { DeleteEnd, DeleteOptions } from './change/delete-task.js';
export {
  type Connection,
  type ConnectOptions,
  connect,
  connectWithin,
  type OwnDefinitions,
} from './connection/connect.js';
export type { ListedTask, ListFilter, TaskPage } from './list/list-tasks.js';
export type { OpenFigures, QueueFigures, TaskEnd } from './list/task-figures.js';
export { type HandledTask, handleOf, newTaskSecret } from './list/task-handles.js';
export { LISTED_STATES, type ListedState, type TaskFilter } from './list/task-query.js';
export * from './over-http/also-over-http.js';
export type { HttpConnectOptions } from './over-http/door-link.js';
export * from './over-http/temporal-alone.js';
export { checkSpec } from './schedules/check-spec.js';
export type { FiredTask, LastFiring } from './schedules/read-firings.js';
export type { SeenSchedule, ShownSchedule } from './schedules/schedules.js';
export type { NewSession, SeenSession } from './sessions/sessions.js';

export type { GivenFiles } from './start/give-files.js';
export { generateTaskKey } from './start/keys.js';
export type { CreatedTask, NewTask } from './start/new-task.js';
export type { Retry } from './start/retry-task.js';
export { UNSERVED_MS } from './start/start-request.js';
export type { FetchedHistory } from './view/fetch-histories.js';
export { fetchCallLogs, type LogLine, linesOf, readCallLogs } from './view/read-call-logs.js';
export type { TaskChain } from './view/read-chain.js';
export { earlierKeys, nextKey } from './view/read-chain.js';
export { readRecord } from './view/read-record.js';
export { linkOf } from './view/read-result.js';
export { fetchSharedRecord, SharedLogs, type SharedRecord, sharedStore } from './view/shared-task.js';
export type { TakenFile } from './view/take-files.js';
export { hasEnded, type OpenTask, type SeenTask, type Source } from './view/view-task.js';
export type { Stall } from './watch/find-stall.js';
export type { TaskNow, WaitEnd, WaitOptions } from './watch/wait-for-task.js';
export type { CallAttempt } from './watch/watch-attempts.js';
