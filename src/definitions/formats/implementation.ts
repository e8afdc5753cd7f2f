import { z } from 'zod';
import { api } from './api.js';
import { abilityId, condition, hookBindings, jsonObject, plainName, seconds } from './values.js';

/** A program that runs a script: one word, or words. */
const interpreter = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);

/** A script of the project. Source: design, section 4; answers, 25 and 29. */
export const script = z.strictObject({
  path: z.string().min(1),
  args_template: z.string().optional(),
  /** Arguments as a list, where a template would need quotes. */
  args: z.array(z.string()).optional(),
  interpreter: interpreter.optional(),
  timeout_sec: seconds.optional(),
  env_profile: plainName.optional(),
  /** Variables besides the profile's. */
  set: z.record(plainName, z.string()).optional(),
  files: z.array(z.string().min(1)).optional(),
});

/** A tool of an MCP server. Source: design, section 4; answers, 27. */
export const mcp = z.strictObject({
  server: plainName.optional(),
  tool: z.string().min(1).optional(),
  timeout_sec: seconds.optional(),
  output: z.literal('json').optional(),
  /** What the server said of the tool when people took it over; another one is not called. Source: answers, 42. */
  pinned: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, 'What is pinned is `sha256:` and 64 hex digits, as `ability import mcp` writes it')
    .optional(),
});

/** What every kind may say besides. */
const shared = {
  defaults: jsonObject.optional(),
  overridable: z.array(z.string()).optional(),
  tags: z.array(plainName).optional(),
  fail_if: condition.optional(),
  hooks: hookBindings.optional(),
  limitations: z.string().optional(),
};

const kinds = {
  script: { kind: z.literal('script'), script },
  mcp: { kind: z.literal('mcp'), mcp },
  api: { kind: z.literal('api'), api },
} as const;

const unionMessage = 'An implementation has a `kind` (script, mcp or api) and the section of that name';

/** An implementation inside its operation or in a configuration: its id is the operation key. */
export const inlineImplementation = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ ...kinds.script, ...shared }),
    z.strictObject({ ...kinds.mcp, ...shared }),
    z.strictObject({ ...kinds.api, ...shared }),
  ],
  unionMessage,
);

const registration = { id: plainName, operation_key: abilityId, summary: z.string().optional() };

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

/** An implementation document. */
export type ImplementationDocument = z.output<typeof implementation>;

/** The `script` section, also of a hook. */
export type ScriptDefinition = z.output<typeof script>;
