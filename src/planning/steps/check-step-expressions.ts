import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { StepDefinition } from '../../definitions/formats/steps.js';
import type { Loaded } from '../../definitions/registry.js';
import { BARE, expressionsOf } from '../../definitions/step-expressions.js';
import { loopNamesOf } from '../../definitions/step-lists.js';
import { RETRY_NAMES } from '../../rules/retry-condition.js';
import { type Available, checkCondition } from './check-names.js';
import type { Mistakes } from './definition-errors.js';
import type { ExpressionChecks } from './expression-checks.js';
import { loopNames } from './loop-names.js';
import type { Place } from './step-place.js';

/** What the expressions of a workflow are checked with. */
interface Checked {
  workflow: Loaded<HighLevel>;
  checks: ExpressionChecks;
  mistakes: Mistakes;
}

/**
 * Checks every expression of a step by itself, each with the names that it sees; mistakes are kept.
 *
 * @returns the place with the names that the steps of a loop see; of other steps the place itself.
 */
export function checkStepExpressions(
  step: StepDefinition,
  place: Place,
  { workflow, checks, mistakes }: Checked,
): Place {
  let inLoop: Place | undefined;
  const loop = (): Place => {
    const otherwise = [...place.names, ...Object.values(loopNamesOf(step))];
    inLoop ??= { ...place, names: mistakes.gather(() => loopNames(step, place, checks), otherwise) };
    return inLoop;
  };
  for (const { path: keys, value, belongs, sees } of expressionsOf(step)) {
    const names = sees === 'turn' ? loop().names : sees === 'template' ? [] : place.names;
    const path = [...place.path, ...keys];
    if (sees === 'attempt') {
      // It is asked where the attempt ended, which for a call is not the workflow.
      mistakes.gather(() => checkCondition(String(value), IN_RETRY, workflow, path), undefined);
    } else if (BARE.has(belongs)) {
      checks.checkExpression(String(value), path, sees === 'signal' ? [...names, 'signal'] : names);
    } else if (belongs === 'parameters' && typeof value === 'string' && !isOneExpression(value)) {
      mistakes.keep(checks.refuse('`with` is a map of parameters, or one ${{ }} that gives a map', path));
    } else checks.checkTemplate(value, path, names);
  }
  return loop();
}

const IN_RETRY: Available = {
  names: RETRY_NAMES,
  functions: [],
  where: '`retry.if`',
  instead: 'It is about the failed attempt alone: `error` and `attempt`.',
};

function isOneExpression(text: string): boolean {
  return /^\s*\$\{\{[\s\S]*\}\}\s*$/.test(text);
}
