import { z } from 'zod';
import { PROVIDER_NAME, placeholdersIn } from '../../rules/secret-reference.js';
import { durationUpTo, envProfileOf, matching, ownReference, text } from './values.js';

const provider = z.strictObject({
  command: z
    .array(text)
    .min(1)
    .superRefine(([program = '', ...given], context) => {
      const unfit = (message: string): void => context.addIssue({ code: 'custom', message });
      const used = given.flatMap(placeholdersIn);
      if (program.includes('{')) unfit('A command begins with its program, which has no placeholders');
      if (/^\S+\s/.test(program)) unfit('A command is a list: its program, then one text for each argument');
      if (!used.includes('path')) unfit('An argument of the command must have {path}');
      const other = used.find((name) => name !== 'path' && name !== 'field');
      if (other !== undefined) unfit(`An argument may have {path} and {field}, but not {${other}}`);
    })
    .describe('The program that prints a secret, and its arguments with {path} and {field}; no shell reads them.'),
  ttl: durationUpTo(86_400_000, 'A value is kept for at least 1ms and at most 24h')
    .default('5m')
    .describe('How long a worker keeps a value in memory.'),
  timeout: durationUpTo(30_000, 'A provider has at least 1ms and at most 30s')
    .default('10s')
    .describe('How long the program may take.'),
  env: envProfileOf(ownReference)
    .default({ pass: [], set: {}, secrets: {} })
    .describe('Its environment, besides PATH and HOME of the worker.'),
});

/** `secrets` of `ability.yaml`: programs that print secrets. Source: docs/operations.md#secrets. */
export const secretProviders = z.record(
  matching(
    PROVIDER_NAME,
    'A provider begins with a lowercase letter and has at most 32 lowercase letters, digits, dashes and _; env, file, http and https are taken',
  ),
  provider,
);

export type SecretProvider = z.output<typeof provider>;
