import type { JsonObject } from '../../../contracts/json.js';
import { AbilityError } from '../../../contracts/problem.js';

/** The mask of a secret in records; see docs/operations.md. */
const MASK = '***';

/** A new run would get the masks as values. @throws AbilityError `record.masked`, naming the fields. */
export function refuseMasked(key: string, input: JsonObject): void {
  refuse(
    input,
    (fields) => `Temporal no longer has the input of ${key}, and its record masks secrets in ${fields}`,
    `Name a field without them (\`ability task get ${key} FIELD\`), or read the record: \`ability task record ${key}\`.`,
  );
}

/** For inputs stored for an unattended run. @throws AbilityError `record.masked`, naming the fields. */
export function refuseMaskedInput(input: JsonObject): void {
  refuse(
    input,
    (fields) => `The input has ${MASK} in ${fields}, which records and outputs have in place of secrets`,
    'Pass the values themselves; a secret that a tool needs belongs in a credential of its implementation.',
  );
}

function refuse(input: JsonObject, message: (fields: string) => string, suggestion: string): void {
  const fields = Object.keys(input).filter((name) => JSON.stringify([name, input[name]]).includes(MASK));
  if (fields.length === 0) return;
  const details = { fields };
  throw new AbilityError({ code: 'record.masked', message: message(fields.join(', ')), suggestion, details });
}
