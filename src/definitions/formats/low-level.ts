import { z } from 'zod';
import { inlineImplementation } from './implementation.js';
import { abilityId, effect, hookBindings, jsonSchema, routingHints, scope, summary, version } from './values.js';

/**
 * `registry/low-level/<operation_key>.yaml`: the contract of an atomic operation. Source: R-000-26 to R-000-32.
 *
 * Without `effects` the gravest one is assumed: no repetition, and approval where destructive work needs it.
 */
export const lowLevel = z.strictObject({
  operation_key: abilityId,
  version: version.default(1),
  summary,
  use_cases: z.array(z.string()).optional(),
  effects: effect.default('destructive'),
  notes: z.string().optional(),
  scope: scope.default({}),
  input_schema: jsonSchema.default({ type: 'object' }),
  output_schema: jsonSchema.optional(),
  routing_hints: routingHints.optional(),
  hooks: hookBindings.optional(),
  implementation: inlineImplementation.optional(),
});

/** An operation as loaded. */
export type LowLevel = z.output<typeof lowLevel>;
