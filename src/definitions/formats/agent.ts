import { z } from 'zod';
import { contract, described, isReplacedRightly, REPLACED_WRONGLY, REPLACEMENT_RULE } from './lifecycle.js';
import {
  abilityId,
  hookBindings,
  jsonSchema,
  names,
  optional,
  plainName,
  routingHints,
  taskTimeout,
  text,
} from './values.js';

/** The limits of one task of an agent, including all agents that it calls. */
const limits = z.strictObject({
  max_turns: z.number().int().min(1).max(10_000).default(20).describe('Maximum number of requests to its model.'),
  max_calls: z.number().int().min(1).max(100_000).default(100).describe('How many calls it may make.'),
  max_tokens: optional(
    z.number().int().min(1),
    'Tokens of all requests to its model and of all its answers; without it, no limit.',
  ),
  max_cost: optional(
    z.number().positive(),
    'What its model may cost, in the currency of `price` under `models`; without it, no limit.',
  ),
  on_limit: z
    .enum(['fail', 'ask'])
    .default('fail')
    .describe('What happens at a limit: it fails, or people are asked by how much to raise it.'),
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
    instructions: text.max(20_000).describe('What it should do, in plain words; its model reads this first.'),
    ...described,
    input_schema: jsonSchema
      .default({ type: 'object', properties: { request: { type: 'string' } }, required: ['request'] })
      .describe('JSON Schema (draft 2020-12) of the input; without it, `request`, a text.'),
    constraints: optional(z.record(plainName, z.string()), 'What to know about it, in words; shown by `show`.'),
    model: plainName.default('default').describe('Its model, one of `models` in ability.yaml.'),
    limits: limits.prefault({}).describe('What a task of it may not exceed.'),
    timeout: taskTimeout,
    hooks: optional(hookBindings, 'Hooks of `registry/hooks` around the task as a whole.'),
    operations: z.array(abilityId).default([]).describe('The only abilities it may call; without it, none.'),
    capabilities: optional(names, 'Ids of capabilities that it has; each is one of something that it may call.'),
    routing_hints: optional(routingHints, 'Helps to find it; never a permission.'),
  })
  .refine(isReplacedRightly, REPLACED_WRONGLY)
  .meta(REPLACEMENT_RULE);

export type AgentProfile = z.output<typeof agent>;
