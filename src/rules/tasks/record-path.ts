import { DIRECT_PREFIX, isDirect } from './task-ids.js';

/** Folder in a task's record for the records of the tasks it called. */
export const CHILDREN = 'children';

/** Folder for the records of direct runs; no task key begins with a dot. */
export const DIRECT = '.direct';

/** The path segments of a task's record; the record of a called task is in its caller's folder. */
export function recordPath(task: string): string[] {
  const [name = '', ...path] = task.split('/');
  const key = isDirect(name) ? `${DIRECT}/${name.slice(DIRECT_PREFIX.length)}` : name;
  return path.length === 0 ? [key] : [key, CHILDREN, ...path];
}
