import { z } from 'zod';
import { confinement } from './sandbox.js';
import { durationUpTo, optional, plainName, text, texts } from './values.js';

const price = z.strictObject({
  input: z.number().nonnegative().describe('For a million tokens that it reads.'),
  output: z.number().nonnegative().describe('For a million tokens that it writes.'),
});

const command = z.strictObject({
  path: text.describe('The program, relative to the project root.'),
  interpreter: optional(
    z.union([text, texts.min(1)]),
    'The program that runs it; without it, its first line (`#!`) decides, or where it has none, its extension.',
  ),
  env_profile: optional(plainName, 'Its environment, one of env_profiles; without it, `default`.'),
  files: optional(texts, 'Files and folders that are pinned with it besides what it imports.'),
  ...confinement,
});

/** A model that agents use. The operator sets its endpoint and key, as for embeddings. Source: C-49. */
const model = z
  .strictObject({
    model: optional(text.max(200), 'The model, as the OpenAI-compatible endpoint names it.'),
    command: optional(command, 'A program of the project that answers in place of an endpoint.'),
    timeout: durationUpTo(3_600_000, 'An answer takes at least 1ms and at most 1h')
      .default('2m')
      .describe('How long one answer may take.'),
    context: z
      .number()
      .int()
      .min(1_000)
      .max(10_000_000)
      .default(100_000)
      .describe(
        'How many tokens a request may contain; in longer transcripts, the oldest results and turns are omitted.',
      ),
    price: optional(price, 'What its tokens cost; needed by agents with `limits.max_cost`.'),
  })
  .refine((value) => (value.model === undefined) !== (value.command === undefined), {
    message: 'A model has either `model` or `command`',
  });

/** `models` of `ability.yaml`. */
export const models = z.record(plainName, model);

export type ModelDefinition = z.output<typeof model>;
