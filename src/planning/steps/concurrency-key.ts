import type { JsonObject } from '../../contracts/json.js';
import { FIRST_CEL } from '../../contracts/names.js';
import type { Plan } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { evaluateTemplate } from '../../rules/expressions/template.js';

/** A longer one names nothing that people could tell apart. */
const MOST_CHARACTERS = 500;

/**
 * The key of a task among those that must not run at once.
 *
 * @throws AbilityError `expression.*`; `expression.not_text` for what is no text, an empty or an overlong one.
 */
export function concurrencyKey(template: string, input: JsonObject, { environment, cel = FIRST_CEL }: Plan): string {
  const { name, protected: isProtected, vars } = environment;
  const values = { input, environment: { name, protected: isProtected, vars } };
  const value = evaluateTemplate(template, { values, cel });
  const key = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof key !== 'string')
    throw notAKey(template, `gives ${JSON.stringify(value).slice(0, 100)}, which is no text`);
  if (key.trim() === '') throw notAKey(template, 'gives an empty text, which would be the key of too many');
  if (key.length > MOST_CHARACTERS) throw notAKey(template, `gives more than ${MOST_CHARACTERS} characters`);
  return key;
}

function notAKey(template: string, why: string): AbilityError {
  return new AbilityError({
    code: 'expression.not_text',
    message: `The concurrency key \`${template}\` ${why}`,
    suggestion: 'Let `concurrency.key` give a short text.',
  });
}
