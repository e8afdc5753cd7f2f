import { z } from 'zod';
import { plainName } from './values.js';

/** What is looked for in requests, as part of them. Blanks alone would be in each. */
export const requestKeyword = z.string().regex(/\S/, 'A keyword has letters; blanks alone are in every request');

/** What a capability is, and the words of requests that need it. Source: R-004-01 to R-004-08. */
export const capability = z.strictObject({
  description: z.string().min(1).max(1000).describe('What it is to have it, in one sentence.'),
  keywords: z
    .array(requestKeyword)
    .min(1)
    .describe(
      'A request that has one of them, as part of a word too, needs it; capitals do not matter. An entry of the same id as a built-in one is in its place, with these keywords alone.',
    ),
  needs: z
    .literal('network')
    .optional()
    .describe('Packs do not have it in environments with `network: false`; without it, they have it everywhere.'),
});

/** `registry/capabilities.yaml`: what packs can be able to do. Source: R-004-13; docs/choosing.md#recruiting. */
export const capabilities = z.strictObject({
  capabilities: z
    .record(plainName, capability)
    .describe('By id. One with the id of a built-in one takes its place; others follow those, in this order.'),
});

/** A capability as loaded. */
export type CapabilityDefinition = z.output<typeof capability>;
