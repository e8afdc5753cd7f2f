import { z } from 'zod';
import { abilityId, matching, names, optional, plainName, summary, text } from './values.js';

/** A keyword that requests are searched for, also inside words. Blanks alone would match every request. */
const requestKeyword = matching(/\S/, 'A keyword cannot be blank, since it would match every request');

/** A capability, and the words of requests that need it. Source: R-004-01 to R-004-08. */
const capability = z.strictObject({
  description: text.max(1000).describe('What it enables, in one sentence.'),
  keywords: z
    .array(requestKeyword)
    .min(1)
    .describe(
      'A request that contains one of them, even as part of a word, needs it; upper and lower case do not matter. An entry with the id of a built-in one replaces it and has only these keywords.',
    ),
  needs: optional(
    z.literal('network'),
    'Packs do not have it in environments with `network: false`; without it, they have it everywhere.',
  ),
});

/** `registry/capabilities.yaml`: the possible capabilities of packs. Source: R-004-13; docs/choosing.md#recruiting. */
export const capabilities = z.strictObject({
  capabilities: z
    .record(plainName, capability)
    .describe(
      'By id. An entry with the id of a built-in one replaces it; others follow the built-in ones, in this order.',
    ),
});

export type CapabilityDefinition = z.output<typeof capability>;

/** A specialist to recruit for a request. Source: R-004-14; C-48. */
const pack = z.strictObject({
  description: summary.describe('What the pack is for, in one sentence.'),
  keywords: z
    .array(requestKeyword)
    .default([])
    .describe('Words of requests that it is for; used if no pack has a required capability.'),
  workflow: abilityId.describe('The ability that does its work: a workflow, or an agent.'),
  capabilities: names
    .default([])
    .describe('Ids of capabilities that it has; the pack with the most of those that a request needs is recruited.'),
  builder: optional(text.max(1000), 'What builds the pack elsewhere; shown, and never executed.'),
});

/**
 * `registry/packs.yaml`, or the file that `CONCIERGE_CONFIG_PATH` names: the packs of a project. Source: R-004-14,
 * R-004-15; C-48.
 */
export const packs = z.strictObject({
  specialists: z
    .record(plainName, pack)
    .describe(
      'By id. An entry with the id of a built-in one replaces it; others follow the built-in ones, in this order.',
    ),
});

export type PackDefinition = z.output<typeof pack>;
