/** The public TypeScript API: what a caller can do. Doors use this and nothing below it. */
export { checkAttributes, checkDispatch, checkRetention, checkWorkers } from './check-server.js';
export { type ConnectOptions, connect, type Session } from './connect.js';
export { cancelTask, pauseTask, resumeTask, runTask, signalTask } from './control-task.js';
export { type CreatedTask, createTask, type NewTask } from './create-task.js';
export { decide, openApprovals } from './decide.js';
export { linkOf } from './links.js';
export { type ListedTask, type ListFilter, listTasks } from './list-tasks.js';
export { readHost, readInput } from './read-history.js';
export { awaitResult } from './read-result.js';
export { hasEnded, readRecord, type SeenTask, viewTask } from './view-task.js';
export { type WaitEnd, type WaitOptions, waitForTask } from './wait-for-task.js';
