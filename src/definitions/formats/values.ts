import { z } from 'zod';
import { EFFECTS } from '../../contracts/effects.js';
import { ABILITY_ID, RESERVED_NAMES, SIGNALS, STEP_ID } from '../../contracts/names.js';
import { isDuration, parseDuration } from '../../rules/duration.js';
import { SAFE_REFERENCE } from '../../rules/secret-reference.js';
import { BYTES_PATTERN, parseBytes } from '../../text/byte-size.js';
import { whyNoPathPattern } from '../../text/glob.js';

/** Reserved signals, and what to write instead of waiting for one. */
const INSTEAD_OF: Record<string, string> = {
  [SIGNALS.approve]: 'ask people with an `approval` step, which takes it',
  [SIGNALS.deny]: 'ask people with an `approval` step, which takes it',
  [SIGNALS.run]: 'a created task begins with `ability task run KEY`; wait for another name inside it',
  [SIGNALS.pause]: '`ability task pause KEY` holds a task before its next step; no step waits for it',
  [SIGNALS.resume]: '`ability task resume KEY` lets a paused task go on; no step waits for it',
};

const RESERVED = 'This name is reserved, because every JavaScript object has it';

function isFree(name: string): boolean {
  return !RESERVED_NAMES.has(name);
}

export function matching(pattern: RegExp, message?: string): z.ZodString {
  return z.string().regex(pattern, message);
}

/** A key that may be left out. */
export function optional<Type extends z.ZodType>(type: Type, description: string): z.ZodOptional<Type> {
  return type.optional().describe(description);
}

export const abilityId = matching(
  ABILITY_ID,
  'An id begins with a lowercase letter and has at most 100 lowercase letters, digits, dots, dashes and _',
)
  .refine(isFree, RESERVED)
  .meta({ id: 'ability_id', not: { enum: [...RESERVED_NAMES] } });

const CEL_WORDS: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);

function memberName(message: string) {
  return matching(STEP_ID, message)
    .refine(isFree, RESERVED)
    .refine((name) => !CEL_WORDS.has(name), 'Expressions cannot use this name: it is a reserved word of CEL')
    .meta({ not: { enum: [...RESERVED_NAMES, ...CEL_WORDS] } });
}

export const stepId = memberName(
  'A step id has letters, digits and _, and does not begin with a digit (steps.a-b is a subtraction)',
);

/** Part of task queue names. */
export const environmentName = matching(
  /^[a-z][a-z0-9_-]{0,31}$/,
  'The name of an environment begins with a lowercase letter and has at most 32 lowercase letters, digits, dashes and _',
);

/** Part of task queue names, too; one that a project does not define is refused where it is used. */
export const placementName = matching(
  /^[a-z][a-z0-9_-]{0,31}$/,
  'A placement is local, cloud, or a name of `placements` in ability.yaml',
);

/** Names of profiles, servers, credentials, parameters. */
export const plainName = matching(
  /^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/,
  'A name begins with a letter or _ and has letters, digits, _, - and dots',
)
  .refine(isFree, RESERVED)
  .meta({ id: 'name', not: { enum: [...RESERVED_NAMES] } });

export const names = z.array(plainName);

export const text = z.string().min(1);

export const texts = z.array(text);

const DURATION = 'A duration is a number with a unit: 500ms, 20s, 10m, 24h or 7d';

/** What {@link isDuration} accepts, except for its limit. */
const DURATION_PATTERN = /^\s*\d+(?:\.\d+)?(?:ms|s|m|h|d)\s*$/;

export const duration = z.string(DURATION).refine(isDuration, DURATION).meta({ pattern: DURATION_PATTERN.source });

/** Above 0. @param ms the longest. */
export function durationUpTo(ms: number, message: string) {
  return duration.refine((text) => isDuration(text) && parseDuration(text) > 0 && parseDuration(text) <= ms, message);
}

export const durationOrTemplate = z
  .string(DURATION)
  .refine((text) => text.includes('${{') || isDuration(text), DURATION)
  .meta({ pattern: `${DURATION_PATTERN.source}|\\$\\{\\{` });

const SIZE = 'A size is a number with a unit: 512KiB, 20MB or 1GiB';

export const byteSize = z
  .string(SIZE)
  .refine((text) => parseBytes(text) !== undefined, SIZE)
  .meta({ pattern: BYTES_PATTERN.source });

const fileName = memberName('The name of a file has letters, digits and _, and does not begin with a digit');

const pathPattern = text.superRefine((pattern, context) => {
  const why = whyNoPathPattern(pattern);
  if (why !== undefined) context.addIssue({ code: 'custom', message: `\`${pattern}\` ${why}` });
});

export const outputFiles = z
  .record(
    fileName,
    z.union(
      [
        pathPattern,
        z.strictObject({
          glob: pathPattern.describe(
            'Which files, relative to {output_dir}: `*` for any part of a name, `**` for any folders.',
          ),
          many: optional(z.boolean(), 'Any number of files, as a list; without it, exactly one.'),
        }),
      ],
      'A pattern such as "*.html" belongs here, or { glob: "*.log", many: true }',
    ),
  )
  .refine((files) => Object.keys(files).length > 0, 'Name at least one file, or leave `output_files` out')
  .meta({ minProperties: 1 });

const COUNT = 'A whole number from 1 belongs here, or a ${{ }} that gives one';

/** A whole number of at least 1, or a template that yields one. */
export const numberOrTemplate = z.union([z.number().int(COUNT).min(1, COUNT), matching(/\$\{\{/, COUNT)], COUNT);

/** A signal to wait for; reserved names are refused. */
export const signalName = matching(
  /^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/,
  'The name of a signal begins with a letter or _ and has letters, digits, _, - and dots',
)
  .refine(isFree, RESERVED)
  .refine((name) => !name.startsWith('__temporal_'), 'Names that begin with `__temporal_` are those of Temporal itself')
  .superRefine((name, context) => {
    const instead = Object.hasOwn(INSTEAD_OF, name) ? INSTEAD_OF[name] : undefined;
    if (instead !== undefined) context.addIssue({ code: 'custom', message: `This signal is reserved: ${instead}` });
  })
  .meta({ not: { enum: [...RESERVED_NAMES, ...Object.keys(INSTEAD_OF)] } });

/** A time with its offset, such as 2026-12-24T18:00:00Z. */
export const moment = z.iso
  .datetime({
    offset: true,
    abort: true,
    error: 'A moment looks like 2026-12-24T18:00:00Z or 2026-12-24T18:00:00+01:00',
  })
  .refine((text) => !Number.isNaN(Date.parse(text)), 'There is no such moment');

/** Whole or fractional seconds, as in implementations. */
export const seconds = z.number().positive().max(86_400);

export const version = z.union([z.number().int().nonnegative(), text.max(50)]);

export const errorCode = matching(/^[a-z][a-z0-9_.]{0,99}$/, 'An error code has lowercase letters, digits, _ and dots');

export const effect = z.enum(EFFECTS);

export const json = z.json().meta({ id: 'json', description: 'Any JSON value.' });

export const jsonObject = z.record(z.string(), json);

/** Integers in an answer that JSON numbers cannot safely hold; refused without it. */
export const bigIntegers = z
  .literal('text')
  .describe('`text` returns integers beyond 2^53 - 1 as text; without it, they are refused.');

/** A JSON Schema; checked where it is used. */
export const jsonSchema = jsonObject;

/** Bare CEL. YAML may have parsed it as a boolean or number. */
export const condition = z.union([text, z.boolean(), z.number()]).transform(String);

/** The message for a value that must be a reference; it must not repeat the value. */
export const SECRET_MESSAGE =
  'A secret is a reference, env:NAME or file:PATH, or of a provider, such as vault:PATH#FIELD; never write it here';

/** As {@link SECRET_MESSAGE}, for one that no provider may read. */
const OWN_SECRET_MESSAGE =
  'A secret is a reference, here env:NAME or file:PATH, since doors run no provider; never write it here';

/** As {@link SECRET_MESSAGE}. */
const UNSAFE_MESSAGE =
  'The path and the field of a reference begin with a letter, a digit or _, and have only these, blanks and . / @ + = : , ~ -, without `..`';

/** Messages that say it all: the value must not be repeated. */
export const SECRET_MESSAGES: ReadonlySet<string> = new Set([SECRET_MESSAGE, OWN_SECRET_MESSAGE, UNSAFE_MESSAGE]);

/** The message for a text that must name its credentials; it must not repeat the text. */
export const CREDENTIAL_MESSAGE =
  'Only text and {credential:NAME} belong here; a secret is a reference, never write it here';

/** A holder of these keys can approve what was never shown, or read what others were given. */
const SEAL_KEYS_MESSAGE =
  'The keys that seal plans, encrypt payloads and sign decisions are for workers and doors alone; nothing that they run may have them';

const passedVariable = plainName.regex(/^(?!ABILITY_((SEAL|PAYLOAD)_KEYS|DOOR_KEY)$)/, SEAL_KEYS_MESSAGE);

const NO_KEYS = /^(?!env:ABILITY_((SEAL|PAYLOAD)_KEYS|DOOR_KEY)$)(?!file:(.*\/)?\.system\/+(.*\/)?keys(\/|$))/;

/** A reference to a secret, never the secret itself. Source: R-000-53; docs/operations.md#secrets. */
export const secretReference = z
  .string(SECRET_MESSAGE)
  .regex(/^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+|(?!env:|file:|https?:)[a-z][a-z0-9_-]{0,31}:[\s\S]*)$/, SECRET_MESSAGE)
  .regex(new RegExp(`^(env|file|https?):|^(?![a-z][a-z0-9_-]{0,31}:)|${SAFE_REFERENCE.source}`), UNSAFE_MESSAGE)
  .regex(NO_KEYS, SEAL_KEYS_MESSAGE);

/** A reference that doors resolve as well, or a provider itself: they run no program. */
export const ownReference = z
  .string(OWN_SECRET_MESSAGE)
  .regex(/^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/, OWN_SECRET_MESSAGE)
  .regex(NO_KEYS, SEAL_KEYS_MESSAGE);

/** The environment of a child process. @param secret what its secrets may be. */
export function envProfileOf(secret: typeof secretReference) {
  return z.strictObject({
    pass: z.array(passedVariable).default([]).describe('Variables of the worker that are passed on.'),
    set: z.record(plainName, z.string()).default({}).describe('Variables with fixed values.'),
    secrets: z.record(plainName, secret).default({}).describe('Variables that hold secrets, as references.'),
  });
}

export const scope = z.strictObject({
  modules: optional(z.array(z.string()), 'Modules or domains; hooks may match on them.'),
  environments: optional(z.array(environmentName), 'Where it is available; without it, in all environments.'),
});

/** Hints for finding an ability; never a permission. Source: R-000-31, R-000-64. */
export const routingHints = z.strictObject({
  keywords: optional(z.array(z.string()), 'Words of requests that it is for.'),
  negative_keywords: optional(z.array(z.string()), 'Words of requests that it is not for.'),
  scopes: optional(z.array(z.string()), 'Scopes in which it is suggested; * matches any characters.'),
  notes: optional(z.string(), 'What else helps to choose.'),
});

/** Hooks bound by name. Source: R-000-32; docs/definitions.md. */
export const hookBindings = z.strictObject({
  pre_create: optional(names, 'Hooks that decide whether a task can be created (PreAbilityCreate).'),
  pre_call: optional(names, 'Hooks that decide whether a call may be made now (PreAbilityCall).'),
  post_call: optional(names, 'Hooks that run after a call (PostAbilityCall).'),
  replace: optional(z.boolean(), 'Drops the hooks that earlier levels bound; a warning names them.'),
});

export const summary = text.max(1000);

/** Address of a service: a URL, or a variable of the worker that holds one. */
export const serviceUrl = z.union(
  [
    z.url({ protocol: /^https?$/ }).meta({ format: undefined, pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?:' }),
    matching(/^env:[A-Za-z_][A-Za-z0-9_]*$/),
  ],
  'An address is a URL, http or https, or env:NAME of a variable that holds one',
);

/** An input and the resulting output. Source: R-000-37. */
export const contractExample = z.strictObject({
  summary: optional(z.string(), 'What it shows.'),
  input: jsonObject.describe('Fits `input_schema`.'),
  output: optional(json, 'Fits `output_schema`.'),
});

export const taskTimeout = optional(
  duration,
  'How long it may run, not counting the time that it waits for people; 15m without it, and never above policy.max_timeout.',
);
