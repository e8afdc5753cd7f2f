/** The last part of its path. A template's step has the id `tell/send` and the name `send`. */
export function nameOfStep(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/** Name of the step that holds a template's arguments; no author can use it there. */
export const GIVEN = 'input';

/** Whether expanding a template added the step, so that its author does not know it. @param id of the step. */
export function isOfExpansion(id: string): boolean {
  return id.endsWith(`/${GIVEN}`);
}

/** Whether a step runs in a loop, as in `hosts/12/check`. No step id begins with a digit. */
export function isInTurn(path: string): boolean {
  return /\/\d+\//.test(path);
}

/** Replaces the numbers of turns by `*`. */
export function generalPath(path: string): string {
  return path.replaceAll(/\/\d+(?=\/)/g, '/*');
}

/** The number of the innermost turn; 0 outside loops. */
export function turnOf(path: string): number {
  return Number([...path.matchAll(/\/(\d+)(?=\/)/g)].at(-1)?.[1] ?? 0);
}

/** Path for the undo of a call that an earlier attempt of its group made: `<call>~1.undo`, `<call>~2.undo`, ... */
export function earlierUndo(call: string, progress: object, number = 1): string {
  const path = `${call}~${number}.undo`;
  return Object.hasOwn(progress, path) ? earlierUndo(call, progress, number + 1) : path;
}

/** Path of the call that an undo takes back, in whichever attempt of its group it was made. */
export function callOfUndo(path: string): string {
  return path.replace(/(~\d+)?(\.undo)?$/, '');
}

/** Path, or id, of the questions about a lost call. */
export function askPath(call: string): string {
  return `${call}.unknown`;
}
