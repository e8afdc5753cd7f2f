import type { HighLevel } from './formats/high-level.js';
import { replaceAt } from './replace-at.js';
import { listsInside, listsOfWorkflow, type StepList } from './step-lists.js';

/** A workflow as its file says it, with defaults: without what loading marks steps with, so that one can copy it. */
export function withoutMarks(workflow: HighLevel): unknown {
  const { templates } = workflow;
  const unmarked = unmark(workflow, listsOfWorkflow(workflow));
  if (!templates) return unmarked;
  const entries = Object.entries(templates).map(([name, one]) => [name, unmark(one, listsOfWorkflow(one))]);
  return { ...unmarked, templates: Object.fromEntries(entries) };
}

function unmark(holder: object, lists: readonly StepList[]): object {
  return lists.reduce((changed, { part, path, steps }) => {
    const written = steps.map((step) => {
      const { id, verb: _, ...own } = { id: step.id, verb: step.verb, ...unmark(step, listsInside(step)) };
      return { id, own };
    });
    const branches = part === 'branch' && Object.fromEntries(written.map(({ id, own }) => [id, own]));
    return replaceAt(changed, path, branches || written.map(({ id, own }) => ({ id, ...own })));
  }, holder);
}
