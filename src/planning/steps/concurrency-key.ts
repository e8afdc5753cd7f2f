import type { PlanConcurrency } from '../../contracts/concurrency.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Plan } from '../../contracts/plan.js';
import { AbilityError, invalidDefinition } from '../../contracts/problem.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Loaded } from '../../definitions/registry.js';
import { evaluateTemplate, expressionsIn } from '../../rules/expressions/template.js';
import { checkAt, refuseForeignBraces, refuseUnknownNames } from './check-names.js';

/** Longer keys are unreadable. */
const MAX_CHARACTERS = 500;

/** @throws AbilityError `expression.*`; `expression.not_text` for an empty or overlong text, or none. */
export function concurrencyKey(template: string, input: JsonObject, { environment }: Plan): string {
  const { name, protected: isProtected, vars } = environment;
  const values = { input, environment: { name, protected: isProtected, vars } };
  const value = evaluateTemplate(template, { values });
  const key = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof key !== 'string')
    throw notAKey(template, `gives ${JSON.stringify(value).slice(0, 100)}, which is no text`);
  if (key.trim() === '') throw notAKey(template, 'gives an empty text, which would be the key of too many');
  if (key.length > MAX_CHARACTERS) throw notAKey(template, `gives more than ${MAX_CHARACTERS} characters`);
  return key;
}

function notAKey(template: string, why: string): AbilityError {
  return new AbilityError({
    code: 'expression.not_text',
    message: `The concurrency key \`${template}\` ${why}`,
    suggestion: 'Make `concurrency.key` a short text.',
  });
}

/** Names available in a key. It must be the same for all tasks that exclude each other. */
const KNOWN = ['input', 'environment'];

/** Undefined without `concurrency`. @throws AbilityError `expression.*`, `definition.invalid`. */
export function compileConcurrency(workflow: Loaded<HighLevel>): PlanConcurrency | undefined {
  const { concurrency } = workflow.value;
  if (!concurrency) return undefined;
  checkAt({ from: workflow, path: ['concurrency', 'key'] }, () => checkKey(concurrency.key));
  return concurrency;
}

function checkKey(key: string): void {
  refuseForeignBraces(key);
  for (const expression of expressionsIn(key)) {
    refuseUnknownNames(expression, KNOWN);
    const chance = expression.functions.find((name) => name === 'now' || name === 'uuid');
    if (chance === undefined) continue;
    throw invalidDefinition(
      `A key with ${chance}() in it differs for each task, so it would exclude no other task`,
      undefined,
      'Build the key only from `input` and `environment`.',
    );
  }
}
