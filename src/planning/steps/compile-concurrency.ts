import type { PlanConcurrency } from '../../contracts/concurrency.js';
import { AbilityError } from '../../contracts/problem.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Loaded } from '../../definitions/registry.js';
import { expressionsIn } from '../../rules/expressions/template.js';
import { refuseUnknownNames } from './check-names.js';
import { placed } from './placed.js';

/** A key says with whom a task must not meet, so it reads only what is the same for all who mean the same. */
const KNOWN = ['input', 'environment'];

/**
 * Checks the key of a workflow that excludes others; undefined for one that excludes none.
 *
 * @throws AbilityError `expression.*`, `definition.invalid`, with the place.
 */
export function compileConcurrency(workflow: Loaded<HighLevel>): PlanConcurrency | undefined {
  const { concurrency } = workflow.value;
  if (!concurrency) return undefined;
  try {
    checkKey(concurrency.key);
  } catch (error) {
    throw placed(error, workflow, ['concurrency', 'key']);
  }
  return concurrency;
}

function checkKey(key: string): void {
  if (/(^|[^$])\{\{/.test(key) && !key.includes('${{')) {
    throw new AbilityError({
      code: 'definition.invalid',
      message: `\`${key}\` is not a template here`,
      suggestion: 'Write ${{ expression }}, with the dollar sign.',
    });
  }
  for (const expression of expressionsIn(key)) {
    refuseUnknownNames(expression, KNOWN);
    const chance = expression.functions.find((name) => name === 'now' || name === 'uuid');
    if (chance === undefined) continue;
    throw new AbilityError({
      code: 'definition.invalid',
      message: `A key with ${chance}() in it is another one for each task, so it would exclude no other task`,
      suggestion: 'Make the key of `input` and `environment` alone.',
    });
  }
}
