import { z } from 'zod';
import { isReplacedRightly, lifecycle, REPLACED_WRONGLY, REPLACEMENT_RULE } from './lifecycle.js';
import {
  abilityId,
  duration,
  hookBindings,
  json,
  jsonObject,
  jsonSchema,
  plainName,
  routingHints,
  scope,
  summary,
  version,
} from './values.js';

/** An input, with the output it leads to. Source: R-000-37. */
const example = z.strictObject({
  summary: z.string().optional().describe('What it shows.'),
  input: jsonObject.describe('Fits `input_schema`.'),
  output: json.optional().describe('Fits `output_schema`.'),
});

/** What one task of an agent may use up, with all agents that it calls. */
const limits = z.strictObject({
  max_turns: z.number().int().min(1).max(10_000).default(20).describe('How often its model is asked.'),
  max_calls: z.number().int().min(1).max(100_000).default(100).describe('How many calls it may make.'),
  max_tokens: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe('Tokens of all requests to its model and of all its answers; without it, no limit.'),
  max_cost: z
    .number()
    .positive()
    .optional()
    .describe('What its model may cost, in the currency of `price` under `models`; without it, no limit.'),
});

/**
 * `registry/high-level/<id>.yaml` with `type: agent`: an agent, which can be run, and to which requests can be delegated.
 *
 * Source: R-000-22, R-000-36, R-003-12; docs/agent-abilities.md; docs/choosing.md#deciding.
 */
export const agent = z
  .strictObject({
    id: abilityId.describe('What the agent is called, such as writer.'),
    type: z.literal('agent').describe('An agent decides by itself which of its operations it calls.'),
    version: version.default(1).describe('The version of the contract; another one when callers must change.'),
    status: lifecycle,
    replaced_by: abilityId.optional().describe('The ability to use instead of this deprecated one.'),
    summary: summary.describe('One sentence on what it does; people and AIs choose by it.'),
    instructions: z.string().min(1).max(20_000).describe('What it is to do, in words; its model reads them first.'),
    scenarios: z.array(z.string()).optional().describe('User stories or requests that it is for; shown by `show`.'),
    scope: scope.default({}).describe('Where it is valid; without it, everywhere.'),
    input_schema: jsonSchema
      .default({ type: 'object', properties: { request: { type: 'string' } }, required: ['request'] })
      .describe('JSON Schema (draft 2020-12) of the input; without it, `request`, a text.'),
    output_schema: jsonSchema.optional().describe('JSON Schema of the output; without it, any JSON.'),
    examples: z.array(example).optional().describe('Inputs with their outputs; checked against the schemas.'),
    constraints: z
      .record(plainName, z.string())
      .optional()
      .describe('What to know about it, in words; shown by `show`.'),
    model: plainName.default('default').describe('Its model, one of `models` in ability.yaml.'),
    limits: limits.prefault({}).describe('What a task of it may not exceed.'),
    timeout: duration
      .optional()
      .describe(
        'How long it may work, waiting for people left out; 15m without it, and never above policy.max_timeout.',
      ),
    hooks: hookBindings.optional().describe('Hooks of `registry/hooks` around the task as a whole.'),
    operations: z.array(abilityId).default([]).describe('The only abilities it may call; without it, none.'),
    capabilities: z
      .array(plainName)
      .optional()
      .describe('Ids of capabilities that it has, by which it can be recruited.'),
    routing_hints: routingHints.optional().describe('Helps to find it; never a permission.'),
  })
  .refine(isReplacedRightly, REPLACED_WRONGLY)
  .meta(REPLACEMENT_RULE);

/** The profile of an agent as loaded. */
export type AgentProfile = z.output<typeof agent>;
