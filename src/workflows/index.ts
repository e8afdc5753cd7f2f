/** Any other type, such as an ability id, is a task. */

export { grant as 'ability:grant' } from './approvals/grant.js';
export { sendNotices as 'ability:notify' } from './approvals/notices.js';
export { lock as 'ability:lock' } from './concurrency/lock.js';
export { deleteTask as 'ability:delete' } from './delete.js';
export { session as 'ability:session' } from './sessions/session.js';
export { task as default } from './task.js';
