/** Where the records of the tasks lie that a task has called, within its own. */
export const CHILDREN = 'children';

/** Where the records of direct runs lie; no task key begins with a dot. */
export const DIRECT = '.direct';
const DIRECT_TASK = 'direct:';

/** Whether a task is a direct run, which has no key. */
export function isDirect(task: string): boolean {
  return task.startsWith(DIRECT_TASK);
}

/** The parts of the path of a task's record; a task that another one called lies in the folder of that one. */
export function recordPath(task: string): string[] {
  const [name = '', ...path] = task.split('/');
  const key = isDirect(name) ? `${DIRECT}/${name.slice(DIRECT_TASK.length)}` : name;
  return path.length === 0 ? [key] : [key, CHILDREN, ...path];
}
