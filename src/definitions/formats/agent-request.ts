import { z } from 'zod';
import { USER_KEY } from '../../contracts/names.js';
import { parseDuration } from '../../rules/duration.js';
import { duration, environmentName, json, matching, plainName, text } from './values.js';

const LONGEST = '1h';

const timeout = duration
  .refine((text) => parseDuration(text) <= parseDuration(LONGEST), `The maximum is ${LONGEST}`)
  .default('60s')
  .describe('How long one answer may take.');

const openai = z.strictObject({
  model: text.max(200).describe('The name of the model; the address and the key are in the environment.'),
  timeout,
});

const command = z.strictObject({
  argv: z
    .tuple([text], z.string())
    .describe('The program and its arguments, without a shell; it runs in the folder of the project.'),
  timeout,
  pass: z
    .array(matching(/^[A-Za-z_][A-Za-z0-9_]*$/, 'That is no name of a variable'))
    .max(50)
    .default([])
    .describe('Variables that are passed to it besides PATH, HOME, TMPDIR and those of the language.'),
});

const scripted = z.union(
  [
    z.array(json).max(1000).describe('One answer for each time it is asked.'),
    z.strictObject({
      program: text.describe('A file of JavaScript, from the project: JSON on stdin, JSON on stdout.'),
      timeout,
    }),
  ],
  { error: 'Write a list of answers, or `program: FILE`' },
);

const ONE = 'Write exactly one of `openai`, `command` and `scripted`';

/** The request of `ability agent --request FILE`. Source: R-002-50; docs/agent-abilities.md. */
export const agentRequest = z.strictObject({
  session_id: matching(USER_KEY, 'That is no id of a session').optional(),
  user_id: text.max(200).optional(),
  environment: environmentName.optional(),
  scope: text.optional(),
  prompt: z.string().refine((text) => text.trim() !== '', 'Say in plain words what is wanted'),
  provider: z
    .strictObject({ openai: openai.optional(), command: command.optional(), scripted: scripted.optional() })
    .refine((given) => Object.values(given).filter((one) => one !== undefined).length === 1, ONE),
  pack: plainName.optional(),
});

export type AgentRequest = z.output<typeof agentRequest>;
