import type { HighLevel } from '../../../definitions/formats/high-level.js';
import type { BranchDefinition, ErrorHandlerDefinition, StepDefinition } from '../../../definitions/formats/steps.js';

/** Which list of a step, or of the workflow, a step stands in. */
export type Part = 'steps' | 'branch' | 'case' | 'handler' | 'finally';

/** A step with the place it has among the others. */
export interface StepNode {
  id: string;
  definition: BranchDefinition;
  /** Where it stands in the file. */
  path: PropertyKey[];
  parent: StepNode | undefined;
  part: Part;
  /** Which case or handler; 0 for the other parts. */
  number: number;
  /** Its place in that list; branches run at once, whatever it says. */
  index: number;
}

/** Lists of steps that run one after the other. */
export interface StepList {
  part: Part;
  number: number;
  path: PropertyKey[];
  steps: readonly StepDefinition[];
}

/** The lists of steps inside a step, without its branches. */
export function listsIn(step: BranchDefinition, path: PropertyKey[]): StepList[] {
  const lists: StepList[] = [];
  if ('steps' in step) lists.push({ part: 'steps', number: 0, path: [...path, 'steps'], steps: step.steps });
  if ('switch' in step) {
    for (const [number, item] of step.switch.entries()) {
      const key = 'else' in item ? 'else' : 'steps';
      const steps = 'else' in item ? item.else : item.steps;
      lists.push({ part: 'case', number, path: [...path, 'switch', number, key], steps });
    }
  }
  return [...lists, ...aroundLists(step, path)];
}

/** The lists of steps of a workflow itself. */
export function listsOf(workflow: HighLevel): StepList[] {
  const steps: StepList = { part: 'steps', number: 0, path: ['steps'], steps: workflow.steps };
  return [steps, ...aroundLists(workflow, [])];
}

function aroundLists(
  from: { on_error?: ErrorHandlerDefinition[] | undefined; finally?: StepDefinition[] | undefined },
  path: PropertyKey[],
): StepList[] {
  const handlers = (from.on_error ?? []).map(
    ({ steps = [] }, number): StepList => ({
      part: 'handler',
      number,
      path: [...path, 'on_error', number, 'steps'],
      steps,
    }),
  );
  return [...handlers, { part: 'finally', number: 0, path: [...path, 'finally'], steps: from.finally ?? [] }];
}

/** The branches of a `parallel` or a `race`, with the verb; undefined for other steps. */
export function branchesOf(
  step: BranchDefinition,
): { verb: 'parallel' | 'race'; branches: Record<string, BranchDefinition> } | undefined {
  if ('parallel' in step) return { verb: 'parallel', branches: step.parallel };
  return 'race' in step ? { verb: 'race', branches: step.race } : undefined;
}

/** Whether a list never comes to its end, because a step in it ends the task. */
export function endsTask(steps: readonly BranchDefinition[]): boolean {
  return steps.some((step) => step.if === undefined && stepEndsTask(step));
}

/** Whether a step ends the task when it runs. */
export function stepEndsTask(step: BranchDefinition): boolean {
  if (step.on_error || step.continue_on_error) return false;
  if ('fail' in step || 'end' in step) return true;
  if ('foreach' in step || 'repeat' in step) return false;
  if ('steps' in step) return step.retry === undefined && endsTask(step.steps);
  if (!('switch' in step)) return false;
  const isWhole = step.switch.some((item) => 'else' in item);
  return isWhole && step.switch.every((item) => endsTask('else' in item ? item.else : item.steps));
}

/** From the outermost step around a step down to itself. */
export function chainOf(node: StepNode | undefined): StepNode[] {
  const chain: StepNode[] = [];
  for (let at = node; at; at = at.parent) chain.unshift(at);
  return chain;
}
