import type { StepDefinition } from '../../definitions/formats/steps.js';
import { loopNamesOf } from '../../definitions/step-lists.js';
import { compileExpression } from '../../rules/expressions/evaluate.js';
import { COMMON_NAMES, type ExpressionChecks } from './expression-checks.js';
import type { Place } from './step-place.js';

/** Names that expressions know without a loop; `signal` is what a `wait` asks about. */
const TAKEN = [...COMMON_NAMES, 'signal'];

/**
 * The names that are known inside a step: of a loop also its own, those of its `as` and `index`.
 *
 * @throws AbilityError `definition.invalid` for a word of CEL, and for a name that is taken.
 */
export function loopNames(step: StepDefinition, { path, names: around }: Place, checks: ExpressionChecks): string[] {
  const all = [...around];
  for (const [key, name] of Object.entries(loopNamesOf(step))) {
    if (!isFreeName(name)) {
      throw checks.refuse(`\`${name}\` is a name of CEL`, [...path, key], 'Choose another one.');
    }
    if (TAKEN.includes(name) || all.includes(name)) {
      throw checks.refuse(`The name \`${name}\` is taken here`, [...path, key], 'Choose another one.');
    }
    all.push(name);
  }
  return all;
}

/** Whether CEL reads a name as one of ours, and neither as a word nor as a type of its own. */
export function isFreeName(name: string): boolean {
  try {
    return compileExpression(name).references.length === 1;
  } catch {
    return false;
  }
}
