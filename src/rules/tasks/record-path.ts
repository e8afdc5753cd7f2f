/** Folder in a task's record for the records of the tasks it called. */
export const CHILDREN = 'children';

/** Folder for the records of direct runs; no task key begins with a dot. */
export const DIRECT = '.direct';
const DIRECT_TASK = 'direct:';

export function isDirect(task: string): boolean {
  return task.startsWith(DIRECT_TASK);
}

/** The path segments of a task's record; the record of a called task is in its caller's folder. */
export function recordPath(task: string): string[] {
  const [name = '', ...path] = task.split('/');
  const key = isDirect(name) ? `${DIRECT}/${name.slice(DIRECT_TASK.length)}` : name;
  return path.length === 0 ? [key] : [key, CHILDREN, ...path];
}
