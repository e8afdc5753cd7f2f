import type { Json, JsonObject } from '../../../contracts/json.js';
import { AbilityError } from '../../../contracts/problem.js';

/** The mask of a secret in records; see docs/operations.md. */
const MASK = '***';

/** A new run would get the masks as values. @throws AbilityError `record.masked`, naming the fields. */
export function refuseMasked(key: string, input: JsonObject): void {
  const fields = maskedFields(input);
  if (fields.length === 0) return;
  throw new AbilityError({
    code: 'record.masked',
    message: `Temporal no longer has the input of ${key}, and its record masks secrets in ${fields.join(', ')}`,
    suggestion: `Name a field without them (\`ability task get ${key} FIELD\`), or read the record: \`ability task record ${key}\`.`,
    details: { fields },
  });
}

/** For inputs stored for an unattended run. @throws AbilityError `record.masked`, naming the fields. */
export function refuseMaskedInput(input: JsonObject): void {
  const fields = maskedFields(input);
  if (fields.length === 0) return;
  throw new AbilityError({
    code: 'record.masked',
    message: `The input has ${MASK} in ${fields.join(', ')}, which records and outputs have in place of secrets`,
    suggestion: 'Pass the values themselves; a secret that a tool needs belongs in a credential of its implementation.',
    details: { fields },
  });
}

function maskedFields(input: JsonObject): string[] {
  return Object.keys(input).filter((name) => name.includes(MASK) || hasMask(input[name] as Json));
}

function hasMask(value: Json): boolean {
  return JSON.stringify(value).includes(MASK);
}
