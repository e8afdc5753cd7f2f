import { z } from 'zod';
import { api } from './api.js';
import { confinement } from './sandbox.js';
import { argument, exitCodes, OUTPUT_FORMS } from './script-arguments.js';
import {
  abilityId,
  bigIntegers,
  condition,
  hookBindings,
  jsonObject,
  matching,
  names,
  optional,
  plainName,
  seconds,
  text,
  texts,
} from './values.js';

const interpreter = z.union([text, texts.min(1)]);

/** A script of the project. Source: docs/definitions.md; docs/scripts.md. */
export const script = z.strictObject({
  path: text.describe('The script, relative to the project root.'),
  args_template: optional(
    z.string(),
    'Its arguments, split on blanks; may contain {input_file} {output_file} {output_dir} {payload} {task_key} {idempotency_key} {pinned}.',
  ),
  args: optional(
    z.array(argument),
    'Its arguments as a list, instead of args_template. An item may contain ${{ }} over input, environment and task.',
  ),
  stdin: optional(z.string(), 'What it reads on stdin; may contain ${{ }}. Without it, nothing.'),
  interpreter: optional(
    interpreter,
    'The program that runs it; without it, its first line (`#!`) decides, or where it has none, its extension.',
  ),
  timeout_sec: optional(seconds, 'How long a call may take; 60 without it.'),
  env_profile: optional(plainName, 'Its environment, one of env_profiles; without it, `default`.'),
  big_integers: bigIntegers.optional(),
  env: optional(
    z.record(plainName, z.string()),
    'Variables besides those of the profile: texts that may contain ${{ }}, or references to secrets, env:NAME or file:PATH.',
  ),
  output: optional(
    z.enum(OUTPUT_FORMS),
    'How its output is read: json, text ({text}), lines ({lines}), csv ({rows}), none (null). Without it, json if {output_file} or `output_schema` is used, else text.',
  ),
  exit_codes: optional(exitCodes, 'What exit codes from 1 to 255 mean: `ok`, or the code with which the step fails.'),
  files: optional(
    texts,
    'Files and folders that are pinned with it besides what it imports; {pinned} and ABILITY_PINNED name their copy.',
  ),
  ...confinement,
});

/** A tool of an MCP server. Source: docs/definitions.md; docs/guide.md#mcp. */
const mcp = z.strictObject({
  server: optional(plainName, 'One of mcp_servers; may be in the configuration instead.'),
  tool: optional(text, 'The tool of the server; may be in the configuration instead.'),
  timeout_sec: optional(seconds, 'How long a call may take; 60 without it.'),
  output: optional(z.literal('json'), 'Reads the text of the answer as JSON.'),
  big_integers: bigIntegers.optional(),
  pinned: optional(
    matching(/^sha256:[0-9a-f]{64}$/, '`pinned` is `sha256:` and 64 hex digits, as `ability import mcp` writes it'),
    'The digest of the tool as the server described it when it was imported; a tool that differs is not called.',
  ),
});

const shared = {
  defaults: optional(jsonObject, 'Default parameters; the input of the caller overrides them.'),
  overridable: optional(names, 'Which of `defaults` callers may set; without it, all of them.'),
  tags: optional(
    names,
    '`fast` runs repeatable calls without a round trip; `deprecated` and `experimental` warn; others are for hooks.',
  ),
  fail_if: optional(condition, 'CEL over output, input and environment; true: the call failed although it answered.'),
  hooks: optional(hookBindings, 'Hooks bound where this implementation is used.'),
  limitations: optional(z.string(), 'What it cannot do; shown by `show`.'),
};

const kinds = {
  script: { kind: z.literal('script').describe('A script of the project.'), script: script.describe('The script.') },
  mcp: { kind: z.literal('mcp').describe('A tool of an MCP server.'), mcp: mcp.describe('The tool.') },
  api: { kind: z.literal('api').describe('An HTTP call.'), api: api.describe('The call.') },
} as const;

const unionMessage = 'An implementation has a `kind` (script, mcp or api) and the section of that name';

/** An implementation in its operation or in a configuration: its id is the operation key. */
export const inlineImplementation = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ ...kinds.script, ...shared }),
    z.strictObject({ ...kinds.mcp, ...shared }),
    z.strictObject({ ...kinds.api, ...shared }),
  ],
  unionMessage,
);

const registration = {
  id: plainName.describe('What the implementation is called.'),
  operation_key: abilityId.describe('The operation it belongs to.'),
  summary: optional(z.string(), 'What sets it apart; shown by `show`.'),
};

/** `registry/implementations/<id>.yaml`. Source: R-000-45, R-000-46. */
export const implementation = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ ...registration, ...kinds.script, ...shared }),
    z.strictObject({ ...registration, ...kinds.mcp, ...shared }),
    z.strictObject({ ...registration, ...kinds.api, ...shared }),
  ],
  unionMessage,
);

/** An implementation without its id, wherever it was written. */
export type ImplementationBody = z.output<typeof inlineImplementation>;

export type ImplementationDocument = z.output<typeof implementation>;

export type ScriptDefinition = z.output<typeof script>;
