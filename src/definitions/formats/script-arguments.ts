import { z } from 'zod';
import { condition, errorCode, matching, stepId, text } from './values.js';

const choice = z.strictObject({
  if: condition.describe('CEL over input, environment and task; an absent optional counts as false.'),
  // biome-ignore lint/suspicious/noThenProperty: the key that authors write; a list is no promise
  then: z.array(z.lazy(() => argument)).describe('The arguments in that case.'),
});

const loop = z.strictObject({
  each: text.describe('CEL that returns a list; an absent optional adds no arguments.'),
  as: stepId.describe('What an item of the list is called inside.'),
  // biome-ignore lint/suspicious/noThenProperty: the key that authors write; a list is no promise
  then: z.array(z.lazy(() => argument)).describe('The arguments for each item.'),
});

/** A text that may begin with `-` although it comes from the input. */
const option = z.strictObject({
  value: z.string().describe('The item.'),
  option: z.literal('allowed').describe('Text from the input may turn it into an option.'),
});

export type ArgumentDefinition =
  | string
  | { value: string; option: 'allowed' }
  | { if: string; then: ArgumentDefinition[] }
  | { each: string; as: string; then: ArgumentDefinition[] };

export const argument: z.ZodType<ArgumentDefinition> = z
  .union(
    [z.string(), choice, loop, option],
    'An item of `args` is a text, { if, then }, { each, as, then } or { value, option: allowed }',
  )
  .meta({
    id: 'script_argument',
    description: 'A text, { if, then }, { each, as, then } or { value, option: allowed }.',
  });

/** Exit codes with a meaning of their own: not 0, which is success, and at most one byte. */
const exitCode = matching(/^(?:[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])$/, 'An exit code is a whole number from 1 to 255');

export const exitCodes = z.record(
  exitCode,
  z.union(
    [
      z.literal('ok'),
      z.strictObject({
        code: errorCode.describe('The code with which the step fails; its first word must not be a reserved one.'),
      }),
    ],
    'An exit code maps to `ok`, or to the { code: .. } with which the step fails',
  ),
);

export const OUTPUT_FORMS = ['json', 'text', 'lines', 'csv', 'none'] as const;
