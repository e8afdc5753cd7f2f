import type { StepDefinition } from '../../definitions/formats/steps.js';
import { listsInside, listsOfWorkflow } from '../../definitions/step-lists.js';
import { stepEndsTask } from '../types/step-tree.js';
import type { WorkflowTypes } from '../types/workflow-types.js';
import type { PlacedMistake } from './expressions.js';

/** The first step of each list that comes after one which always ends the task. */
export function* unreachableSteps({ workflow, nodes }: WorkflowTypes): Generator<PlacedMistake> {
  const inside = nodes.flatMap(({ definition, path }) =>
    listsInside(definition).map((list) => ({ ...list, path: [...path, ...list.path] })),
  );
  for (const { part, path, steps } of [...listsOfWorkflow(workflow.value), ...inside]) {
    // In a clean-up each step runs, whatever became of the others, and so do branches.
    if (part === 'finally' || part === 'branch') continue;
    const end = steps.findIndex(endsAlways);
    const [ending, next] = [steps[end], steps[end + 1]];
    if (!ending || !next) continue;
    const message = `\`${next.id}\` comes after \`${ending.id}\`, which always ends the task`;
    yield { code: 'lint.unreachable_step', message, path: [...path, end + 1, 'id'] };
  }
}

function endsAlways(step: StepDefinition): boolean {
  return step.if === undefined && stepEndsTask(step);
}
