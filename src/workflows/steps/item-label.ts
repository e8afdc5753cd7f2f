import type { Json } from '../../contracts/json.js';
import type { ForeachStep } from '../../contracts/plan.js';
import { defaultLabel, labelFrom } from '../../rules/item-label.js';
import type { TaskRun } from '../task/task-run.js';
import { evaluateText } from './evaluate.js';
import type { Frame } from './frame.js';

/**
 * What people call an item. A `label` is evaluated at once, so that a mistake in it shows before anything is called; what
 * stands in its place is only made when somebody looks.
 *
 * @throws StepFailure `expression.*`.
 */
export function labelOfItem(run: TaskRun, step: ForeachStep, item: Json, frame: Frame): () => string | undefined {
  if (step.label !== undefined) {
    const label = labelFrom(evaluateText(run, step.label, frame));
    return () => label;
  }
  let made: { label: string | undefined } | undefined;
  return () => {
    made ??= { label: defaultLabel(item) };
    return made.label;
  };
}
