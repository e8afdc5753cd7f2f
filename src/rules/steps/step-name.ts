/**
 * The name of a step among its siblings, which ends its path.
 *
 * A step of a template has the id `tell/send`, after the step `tell` that uses the template; its name is `send`. For
 * every other step the name is the id.
 */
export function nameOfStep(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/** The name of the step with the arguments of a template's use; steps of authors never have it there. */
export const GIVEN = 'input';

/** Whether a step is only there because a template is used, so that its author does not know it. @param id of the step. */
export function isOfExpansion(id: string): boolean {
  return id.endsWith(`/${GIVEN}`);
}
