import { z } from 'zod';
import { LIFECYCLES, type LifecycleFields } from '../../contracts/lifecycle.js';
import { abilityId, contractExample, jsonSchema, optional, scope, summary, version } from './values.js';

/** How reliable the definitions of a file are. Source: R-002-01, R-000-94. */
export const lifecycle = optional(
  z.enum(LIFECYCLES),
  'How reliable it is: users of experimental or deprecated definitions are warned; `stable` without it.',
);

/** Only a deprecated definition may name a replacement, since nothing else would report it. */
export function isReplacedRightly({ status, replaced_by }: LifecycleFields): boolean {
  return replaced_by === undefined || status === 'deprecated';
}

export const REPLACED_WRONGLY = {
  message: '`replaced_by` belongs to what is deprecated: set `status: deprecated`, or leave `replaced_by` out',
  path: ['replaced_by'],
};

/** {@link isReplacedRightly} as a JSON Schema for editors. */
export const REPLACEMENT_RULE = {
  dependencies: {
    replaced_by: {
      required: ['status'],
      properties: { status: { const: 'deprecated', description: 'Only what is deprecated is replaced.' } },
    },
  },
};

/** The common keys of every ability's contract, except its id. */
export const contract = {
  version: version.default(1).describe('The version of the contract; change it when callers must change.'),
  status: lifecycle,
  replaced_by: optional(abilityId, 'The ability to use instead of this deprecated one.'),
  summary: summary.describe('One sentence on what it does; people and AIs choose by it.'),
};

/** What a workflow and an agent are for, where they are valid, and what they take and give. */
export const described = {
  scenarios: optional(z.array(z.string()), 'User stories or requests that it is for; shown by `show`.'),
  scope: scope.default({}).describe('Where it is valid; without it, everywhere.'),
  input_schema: jsonSchema
    .default({ type: 'object' })
    .describe('JSON Schema (draft 2020-12) of the input; its `default`s are filled in.'),
  output_schema: optional(jsonSchema, 'JSON Schema of the output; without it, any JSON.'),
  examples: optional(z.array(contractExample), 'Inputs with their outputs; checked against the schemas.'),
};
