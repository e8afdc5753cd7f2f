/** The public TypeScript API: what a caller can do. Doors use this and nothing below it. */
export { changeInput } from './change-input.js';
export { checkAttributes, checkDispatch, checkRetention, checkWorkers } from './check-server.js';
export { type ConnectOptions, connect, type Session } from './connect.js';
export { cancelTask, pauseTask, resumeTask, runTask, signalTask } from './control-task.js';
export { type CreatedTask, createTask, type NewTask } from './create-task.js';
export { decide, openApprovals } from './decide.js';
export { type DeleteEnd, type DeleteOptions, deleteTask } from './delete-task.js';
export { explainTask } from './explain-task.js';
export { type FetchedHistory, fetchHistories } from './fetch-histories.js';
export { linkOf } from './links.js';
export { type ListedTask, type ListFilter, listTasks } from './list-tasks.js';
export { readHost, readInput, readRecordPlace } from './read-origin.js';
export { readRecord } from './read-record.js';
export { awaitResult } from './read-result.js';
export { type Retry, retryTask } from './retry-task.js';
export { LISTED_STATES, type ListedState, type TaskFilter } from './task-query.js';
export { hasEnded, type SeenTask, viewOwnTask, viewTask } from './view-task.js';
export { type WaitEnd, type WaitOptions, waitForTask } from './wait-for-task.js';
