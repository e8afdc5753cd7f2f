import type { StepDefinition } from '../formats/steps.js';
import { listsInside } from '../step-lists.js';

/** The ids of all steps of a template, wherever they stand in it. */
export function idsOfTemplate(steps: readonly StepDefinition[]): ReadonlySet<string> {
  return new Set(inList(steps));
}

function inList(steps: readonly StepDefinition[]): string[] {
  return steps.flatMap((step) => [step.id, ...listsInside(step).flatMap((list) => inList(list.steps))]);
}
