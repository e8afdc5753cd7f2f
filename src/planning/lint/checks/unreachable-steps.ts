import type { BranchDefinition } from '../../../definitions/formats/steps.js';
import { listsIn, listsOf, stepEndsTask } from '../types/step-tree.js';
import type { WorkflowTypes } from '../types/workflow-types.js';
import type { PlacedMistake } from './expressions.js';

/** The first step of each list that comes after one which always ends the task. */
export function* unreachableSteps({ workflow, nodes }: WorkflowTypes): Generator<PlacedMistake> {
  const lists = [...listsOf(workflow.value), ...nodes.flatMap(({ definition, path }) => listsIn(definition, path))];
  for (const { part, path, steps } of lists) {
    // In a clean-up each step runs, whatever became of the others.
    if (part === 'finally') continue;
    const end = steps.findIndex(endsAlways);
    const [ending, next] = [steps[end], steps[end + 1]];
    if (!ending || !next) continue;
    const message = `\`${next.id}\` comes after \`${ending.id}\`, which always ends the task`;
    yield { code: 'lint.unreachable_step', message, path: [...path, end + 1, 'id'] };
  }
}

function endsAlways(step: BranchDefinition): boolean {
  return step.if === undefined && stepEndsTask(step);
}
