/** Where the records of the tasks lie that a task has called, within its own. */
export const CHILDREN = 'children';

/** The parts of the path of a task's record; a task that another one called lies in the folder of that one. */
export function recordPath(task: string): string[] {
  const [key = '', ...path] = task.split('/');
  return path.length === 0 ? [key] : [key, CHILDREN, ...path];
}
