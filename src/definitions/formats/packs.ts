import { z } from 'zod';
import { requestKeyword } from './capabilities.js';
import { abilityId, plainName, summary } from './values.js';

/** A specialist to recruit for a request. Source: R-004-14; C-48. */
export const pack = z.strictObject({
  description: summary.describe('What the pack is for, in one sentence.'),
  keywords: z
    .array(requestKeyword)
    .default([])
    .describe('Words of requests that it is for, asked about where no pack has a capability that is needed.'),
  workflow: abilityId.describe('The ability that does its work: a workflow, or an agent.'),
  capabilities: z
    .array(plainName)
    .default([])
    .describe('Ids of capabilities that it has; the pack with the most of those that a request needs is recruited.'),
  builder: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('What builds the pack elsewhere; shown, and never executed.'),
});

/** `registry/packs.yaml`, or the file that `CONCIERGE_CONFIG_PATH` names: the packs of a project. Source: R-004-14, R-004-15; C-48. */
export const packs = z.strictObject({
  specialists: z
    .record(plainName, pack)
    .describe('By id. One with the id of a built-in one takes its place; others follow those, in this order.'),
});

/** A pack as loaded. */
export type PackDefinition = z.output<typeof pack>;
