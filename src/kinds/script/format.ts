import { z } from 'zod';
import { confinement } from '../../definitions/formats/sandbox.js';
import { argument, exitCodes, OUTPUT_FORMS } from '../../definitions/formats/script-arguments.js';
import { bigIntegers, optional, plainName, seconds, text, texts } from '../../definitions/formats/values.js';

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

export type ScriptDefinition = z.output<typeof script>;

export const scriptKind = {
  kind: z.literal('script').describe('A script of the project.'),
  script: script.describe('The script.'),
};
