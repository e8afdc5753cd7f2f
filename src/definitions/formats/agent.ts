import { z } from 'zod';
import { contract, isReplacedRightly, REPLACED_WRONGLY, REPLACEMENT_RULE } from './lifecycle.js';
import {
  abilityId,
  contractExample,
  hookBindings,
  jsonSchema,
  names,
  plainName,
  routingHints,
  scope,
  taskTimeout,
} from './values.js';

/** The limits of one task of an agent, including all agents that it calls. */
const limits = z.strictObject({
  max_turns: z.number().int().min(1).max(10_000).default(20).describe('Maximum number of requests to its model.'),
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
 * `registry/high-level/<id>.yaml` with `type: agent`: it can be run, and requests can be delegated to it.
 * Source: R-000-22, R-000-36, R-003-12; docs/agent-abilities.md; docs/choosing.md#deciding.
 */
export const agent = z
  .strictObject({
    id: abilityId.describe('What the agent is called, such as writer.'),
    type: z.literal('agent').describe('An agent decides by itself which of its operations it calls.'),
    ...contract,
    instructions: z
      .string()
      .min(1)
      .max(20_000)
      .describe('What it should do, in plain words; its model reads this first.'),
    scenarios: z.array(z.string()).optional().describe('User stories or requests that it is for; shown by `show`.'),
    scope: scope.default({}).describe('Where it is valid; without it, everywhere.'),
    input_schema: jsonSchema
      .default({ type: 'object', properties: { request: { type: 'string' } }, required: ['request'] })
      .describe('JSON Schema (draft 2020-12) of the input; without it, `request`, a text.'),
    output_schema: jsonSchema.optional().describe('JSON Schema of the output; without it, any JSON.'),
    examples: z.array(contractExample).optional().describe('Inputs with their outputs; checked against the schemas.'),
    constraints: z
      .record(plainName, z.string())
      .optional()
      .describe('What to know about it, in words; shown by `show`.'),
    model: plainName.default('default').describe('Its model, one of `models` in ability.yaml.'),
    limits: limits.prefault({}).describe('What a task of it may not exceed.'),
    timeout: taskTimeout,
    hooks: hookBindings.optional().describe('Hooks of `registry/hooks` around the task as a whole.'),
    operations: z.array(abilityId).default([]).describe('The only abilities it may call; without it, none.'),
    capabilities: names
      .optional()
      .describe('Ids of capabilities that it has; each is one of something that it may call.'),
    routing_hints: routingHints.optional().describe('Helps to find it; never a permission.'),
  })
  .refine(isReplacedRightly, REPLACED_WRONGLY)
  .meta(REPLACEMENT_RULE);

export type AgentProfile = z.output<typeof agent>;
