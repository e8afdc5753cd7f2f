import type { Json, JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';

/** What stands in records for a secret; see docs/operations.md. */
const MASK = '***';

/**
 * Refuses an input of which only a record is left, where it holds masks: what is run again with it would get these letters.
 *
 * @throws AbilityError `record.masked`, with the fields that hold masks.
 */
export function refuseMasked(key: string, input: JsonObject): void {
  const fields = Object.keys(input).filter((name) => name.includes(MASK) || hasMask(input[name] as Json));
  if (fields.length === 0) return;
  throw new AbilityError({
    code: 'record.masked',
    message: `Temporal no longer has the input of ${key}, and its record masks secrets in ${fields.join(', ')}`,
    suggestion: `Name a field without them (\`ability task get ${key} FIELD\`), or read the record: \`ability task record ${key}\`.`,
    details: { fields },
  });
}

function hasMask(value: Json): boolean {
  return JSON.stringify(value).includes(MASK);
}
