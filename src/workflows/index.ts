/**
 * The workflow types of the worker. Any type that is not named here is a task: ability ids lead to the default export, so
 * that the UI shows them. Source: docs/architecture.md#the-way-of-a-task.
 */

export { sendNotices as 'ability:notify' } from './approvals/notices.js';
export { lock as 'ability:lock' } from './concurrency/lock.js';
export { deleteTask as 'ability:delete' } from './delete.js';
export { preflight as 'ability:preflight' } from './preflight.js';
export { session as 'ability:session' } from './sessions/session.js';
export { delivery as 'ability:delivery', firing as 'ability:firing' } from './start-tasks.js';
export { task as default } from './task.js';
