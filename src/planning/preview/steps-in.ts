import type { Runs, StepPreview } from '../../contracts/preview.js';

/** Steps with those of their groups and of the workflows that they call. @param counts absent: all do. */
export function stepsIn(
  steps: readonly StepPreview[],
  counts: (part: { runs: Runs }) => boolean = () => true,
): StepPreview[] {
  return steps
    .filter(counts)
    .flatMap((step) => [
      step,
      ...step.groups.filter(counts).flatMap((group) => stepsIn(group.steps, counts)),
      ...stepsIn([...(step.call?.workflow?.steps ?? []), ...(step.call?.workflow?.finally ?? [])], counts),
    ]);
}
