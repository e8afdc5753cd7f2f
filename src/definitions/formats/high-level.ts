import { z } from 'zod';
import { concurrency } from './concurrency.js';
import { errorHandlers, step } from './steps.js';
import {
  abilityId,
  duration,
  hookBindings,
  json,
  jsonSchema,
  plainName,
  routingHints,
  scope,
  summary,
  version,
} from './values.js';

/** `registry/high-level/<id>.yaml`: a workflow. Source: R-000-36 to R-000-39, design section 4; answers, 51. */
export const highLevel = z.strictObject({
  id: abilityId,
  type: z.literal('workflow'),
  version,
  summary,
  scenarios: z.array(z.string()).optional(),
  scope: scope.default({}),
  input_schema: jsonSchema.default({ type: 'object' }),
  output_schema: jsonSchema.optional(),
  examples: z.array(json).optional(),
  constraints: z.record(plainName, z.string()).optional(),
  operations: z.array(abilityId).optional(),
  routing_hints: routingHints.optional(),
  hooks: hookBindings.optional(),
  capabilities: z.array(plainName).optional(),
  placement: z.enum(['local', 'cloud']).optional(),
  timeout: duration.optional(),
  concurrency: concurrency.optional(),
  steps: z.array(step).min(1),
  output: json.optional(),
  on_error: errorHandlers.optional(),
  limits: z.strictObject({ max_calls: z.number().int().min(1).max(1_000_000) }).optional(),
  finally: z.array(step).min(1).optional(),
});

/** A workflow as loaded. */
export type HighLevel = z.output<typeof highLevel>;
