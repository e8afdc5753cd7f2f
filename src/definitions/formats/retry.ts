import { z } from 'zod';
import { isDuration, parseDuration } from '../../rules/duration.js';
import { defined } from '../../text/defined.js';
import { condition, durationOrTemplate, optional, texts } from './values.js';

const DEFAULT_MAX_WAIT = '30s';

export const retry = z
  .strictObject({
    attempts: z.number().int().min(1).max(100).default(3).describe('Maximum number of attempts.'),
    first: durationOrTemplate.default('1s').describe('The first wait between attempts.'),
    factor: z.number().min(1).max(10).default(2).describe('How each wait grows.'),
    max: optional(durationOrTemplate, 'The longest wait; 30s without it.'),
    errors: optional(
      texts.min(1),
      'Codes or families of errors that are tried again; without it, whatever the effect allows.',
    ),
    if: optional(
      condition,
      'CEL over `error` and `attempt`; false ends the attempts, though `errors` would allow another.',
    ),
    jitter: optional(z.literal(true), 'Waits a random part of each wait, from half of it up to all of it.'),
  })
  .refine(({ first, max }) => max === undefined || !isShorter(max, first), {
    error: '`max` is the longest wait, so it is not shorter than `first`',
    path: ['max'],
  })
  .transform(({ max = DEFAULT_MAX_WAIT, errors, if: condition, jitter, ...rest }) => ({
    ...rest,
    max,
    ...defined({ errors, if: condition }),
    ...(jitter && { jitter }),
  }));

/** False if one is a template: its duration is known only when the task runs. */
function isShorter(one: string, other: string): boolean {
  return isDuration(one) && isDuration(other) && parseDuration(one) < parseDuration(other);
}

export type RetryDefinition = z.output<typeof retry>;
