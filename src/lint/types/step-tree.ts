import type { StepDefinition } from '../../definitions/formats/steps.js';
import { isRepeated, type Part } from '../../definitions/step-lists.js';

/** A step with the place it has among the others. */
export interface StepNode {
  id: string;
  definition: StepDefinition;
  /** Where it stands in the file. */
  path: PropertyKey[];
  parent: StepNode | undefined;
  part: Part;
  /** Which case or handler; 0 for the other parts. */
  number: number;
  /** Its place in that list; branches run at once, whatever it says. */
  index: number;
}

/** Whether a list never comes to its end, because a step in it ends the task. */
export function endsTask(steps: readonly StepDefinition[]): boolean {
  return steps.some((step) => step.if === undefined && stepEndsTask(step));
}

/** Whether a step ends the task when it runs. */
export function stepEndsTask(step: StepDefinition): boolean {
  if (step.on_error || step.continue_on_error) return false;
  switch (step.verb) {
    case 'fail':
    case 'end':
      return true;
    case 'steps':
      return step.retry === undefined && endsTask(step.steps);
    case 'switch': {
      const isWhole = step.switch.some((item) => 'else' in item);
      return isWhole && step.switch.every((item) => endsTask('else' in item ? item.else : item.steps));
    }
    // Nothing may run in a loop, and a branch that ends the task does so while others are at work.
    case 'foreach':
    case 'repeat':
    case 'parallel':
    case 'race':
    case 'call':
    case 'approval':
    case 'wait':
    case 'template':
    case 'let':
      return false;
  }
}

/** The loops whose names a step sees, from the outermost on. */
export function loopsAround(node: StepNode | undefined): StepNode[] {
  return chainOf(node).flatMap((one) => (one.parent && isRepeated(one) ? [one.parent] : []));
}

/** From the outermost step around a step down to itself. */
export function chainOf(node: StepNode | undefined): StepNode[] {
  const chain: StepNode[] = [];
  for (let at = node; at; at = at.parent) chain.unshift(at);
  return chain;
}
