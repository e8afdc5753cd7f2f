import { z } from 'zod';
import { isJsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import { present } from '../../text/absent-as-null.js';
import { didYouMean } from '../../text/nearest.js';

/** Characters of a call's arguments as JSON. */
export const MAX_ARGUMENTS = 4 * 1024 * 1024;
const MAX_ISSUES = 5;

/** An argument that is null is absent. @throws AbilityError `input.invalid`, with the places of the errors. */
export function readArguments<T>(schema: z.ZodType<T>, written: unknown): T {
  refuseUnsafeKeys(written);
  const given = isJsonObject(written) ? present(written) : (written ?? {});
  const { length } = JSON.stringify(given);
  if (length > MAX_ARGUMENTS) {
    throw new AbilityError({
      code: 'input.invalid',
      message: `The arguments have ${length} characters; at most ${MAX_ARGUMENTS} are accepted`,
      suggestion: 'Put what is large into a file, and name it in the input.',
    });
  }
  const { success, data, error } = schema.safeParse(given);
  if (success) return data;
  const [wrong] = error.issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const texts = error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`);
  throw new AbilityError({
    code: 'input.invalid',
    message: `The arguments do not fit: ${texts.join('; ')}`,
    suggestion: (wrong && didYouMean(wrong, known)) ?? 'Compare them with the input schema of the tool.',
  });
}
