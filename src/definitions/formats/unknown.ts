import { z } from 'zod';
import { abilityId, condition, durationUpTo, json, jsonObject } from './values.js';

const LONGEST_MS = 60 * 60 * 1000;

/** How to find out what became of a call whose outcome was lost. Source: docs/definitions.md#when-an-outcome-is-lost. */
export const unknown = z.strictObject({
  call: abilityId.describe('The low-level ability that is asked: `read` or `external_read`.'),
  with: jsonObject
    .default({})
    .describe('Its input, with ${{ }} over `call`, which has `idempotency_key` and `input` of the lost call.'),
  happened: condition.describe('CEL over `call`, `output` and `error` of the answer: true if the call took place.'),
  not_happened: condition.describe('CEL over the same: true if it certainly did not, so that it may be made again.'),
  output: json.default('${{ output }}').describe('The output of the lost call, if it took place.'),
  wait: durationUpTo(LONGEST_MS, 'The pause before a question is at most an hour')
    .default('10s')
    .describe('How long to wait before each question.'),
  attempts: z.number().int().min(1).max(100).default(5).describe('How often to ask at most.'),
});
