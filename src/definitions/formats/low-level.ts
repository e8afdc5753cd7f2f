import { z } from 'zod';
import { inlineImplementation } from './implementation.js';
import { contract, isReplacedRightly, REPLACED_WRONGLY, REPLACEMENT_RULE } from './lifecycle.js';
import { triggers } from './schedules-and-triggers.js';
import {
  abilityId,
  condition,
  durationUpTo,
  effect,
  hookBindings,
  json,
  jsonObject,
  jsonSchema,
  names,
  optional,
  outputFiles,
  routingHints,
  scope,
} from './values.js';

const LONGEST_MS = 60 * 60 * 1000;

/** How to find out what became of a call whose outcome was lost. Source: docs/definitions.md#when-an-outcome-is-lost. */
const unknown = z.strictObject({
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

/**
 * `registry/low-level/<operation_key>.yaml`: the contract of an operation. Without `effects` it is destructive:
 * not repeated, and approved where destructive work needs it. Source: R-000-26 to R-000-32.
 */
export const lowLevel = z
  .strictObject({
    operation_key: abilityId.describe('What the operation is called, such as db.write.user_row.'),
    ...contract,
    use_cases: optional(z.array(z.string()), 'What it is meant for; shown by `show`.'),
    capabilities: optional(
      names,
      'Ids of capabilities that it gives to the packs and agents that may call it; lint compares them.',
    ),
    effects: effect
      .default('destructive')
      .describe('What a call changes. Decides about retries, approvals, and what an unclear outcome means.'),
    notes: optional(z.string(), 'What to know about repeating it and about its side effects; shown by `show`.'),
    scope: scope.default({}).describe('Where it is valid; without it, everywhere.'),
    input_schema: jsonSchema
      .default({ type: 'object' })
      .describe('JSON Schema (draft 2020-12) of the input; its `default`s are filled in.'),
    output_schema: optional(
      jsonSchema,
      'JSON Schema of the output: success, errors the operation itself reports, partial results.',
    ),
    output_files: optional(
      outputFiles,
      'Files that a call leaves, by name: `steps.ID.files.NAME`; a script writes them into {output_dir}.',
    ),
    unknown: optional(
      unknown,
      'How to find out what became of a call whose outcome was lost; without it, a person has to.',
    ),
    routing_hints: optional(routingHints, 'Helps to find it; never a permission.'),
    hooks: optional(hookBindings, 'Hooks of `registry/hooks` that run before or after its calls.'),
    triggers: optional(triggers, 'The webhooks that start it; received by `ability serve`.'),
    implementation: optional(inlineImplementation, 'Its only implementation, or the one used if no other is chosen.'),
  })
  .refine(isReplacedRightly, REPLACED_WRONGLY)
  .meta(REPLACEMENT_RULE);

export type LowLevel = z.output<typeof lowLevel>;
