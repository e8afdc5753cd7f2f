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
