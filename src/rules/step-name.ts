/**
 * The name of a step among those beside it, which ends its path.
 *
 * A step of a template has the id `tell/send`, after the step `tell` that uses the template; its name is `send`. Of every
 * other step the name is the id.
 */
export function nameOfStep(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}
