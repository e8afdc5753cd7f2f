import { z } from 'zod';
import { NOTICE_EVENTS, NOTICE_FORMATS } from '../../contracts/notices.js';
import { isDuration, parseDuration } from '../../rules/duration.js';
import { models } from './models.js';
import {
  byteSize,
  duration,
  effect,
  environmentName,
  jsonObject,
  plainName,
  secretReference,
  texts,
} from './values.js';

/** One environment. Source: docs/definitions.md; docs/approvals.md#who-may-decide. */
export const environment = z.strictObject({
  protected: z
    .boolean()
    .default(false)
    .describe(
      'Hooks see it; people cannot approve their own requests unless self_approval allows it; MCP tools must be pinned.',
    ),
  approve: z.array(effect).default([]).describe('Effects whose calls need an approval here.'),
  approvers: texts.default([]).describe('Groups of `people`, or persons; empty: anyone.'),
  quorum: z.number().int().min(1).max(20).default(1).describe('How many of them must approve.'),
  self_approval: z
    .boolean()
    .optional()
    .describe('Whether the requester may decide; without it, only if the environment is not protected.'),
  proof: z.enum(['claimed', 'required']).default('claimed').describe('Whether the name of an approver must be proved.'),
  network: z
    .boolean()
    .optional()
    .describe(
      'With `false`, packs do not have capabilities here that need a network; `policy.allowed_hosts` decides what calls may reach. Without it, true.',
    ),
  vars: jsonObject.default({}).describe('Values for expressions: environment.vars.NAME.'),
});

const bypassLevel = z.enum(['deny', 'warn', 'off']).optional();

/** How `ability guard` reacts to agents' tool calls that bypass the runtime. Source: R-002-57, R-002-58. */
const bypass = z.strictObject({
  abilities: bypassLevel.describe(
    'Running the script, or calling the endpoint or MCP tool, of an ability; deny without it.',
  ),
  registry: bypassLevel.describe('Writing definitions, ability.yaml or .system; deny without it.'),
  decisions: bypassLevel.describe(
    'Approving, using keys, or sending signals outside the runtime, from the shell of an agent; deny without it.',
  ),
});

const LONGEST_WAIT_MS = 60_000;

/**
 * Ranking by meaning. The operator sets the address and the key in OPENAI_BASE_URL and OPENAI_API_KEY: a file of
 * the project says neither where requests nor where a key is sent. Source: C-49.
 */
const embeddings = z.strictObject({
  model: z.string().min(1).max(200).describe('The model, as the endpoint names it.'),
  timeout: duration
    .refine((text) => isDuration(text) && parseDuration(text) > 0 && parseDuration(text) <= LONGEST_WAIT_MS, {
      message: 'A request waits at least 1ms and at most 60s',
    })
    .default('3s')
    .describe('How long a request waits for the endpoint before it is ranked by words alone.'),
});

/**
 * The router for requests in plain words. Address and key: as for embeddings. Source: R-003-07, R-003-15; C-25;
 * docs/choosing.md#deciding.
 */
const router = z.strictObject({
  model: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'The model that decides, as the endpoint names it; without it, rules decide, and nothing leaves the machine.',
    ),
  timeout: duration
    .refine((text) => isDuration(text) && parseDuration(text) > 0 && parseDuration(text) <= LONGEST_WAIT_MS, {
      message: 'A request waits at least 1ms and at most 60s',
    })
    .default('10s')
    .describe('How long a request waits for the model before rules decide.'),
  threshold: z
    .number()
    .min(0)
    .max(1)
    .default(0.65)
    .describe('With less confidence than this nothing is delegated, called or proposed.'),
});

const notify = z
  .strictObject({
    on: z.array(z.enum(NOTICE_EVENTS)).min(1).describe('The events that are sent.'),
    webhook: secretReference.describe('The address to send to, as a reference.'),
    secret: secretReference
      .optional()
      .describe('A reference to the secret that signs, whsec_ and base64; optional only with `format: slack`.'),
    format: z.enum(NOTICE_FORMATS).default('json').describe('The format of the notices.'),
    environments: z
      .array(environmentName)
      .min(1)
      .optional()
      .describe('Only for tasks in these environments; without it, in all.'),
  })
  .refine(({ format, secret }) => format === 'slack' || secret !== undefined, {
    error: 'A notice must be signed: set `secret`, a reference to the secret that signs it',
    path: ['secret'],
  });

/** `ability.yaml`: marks a project. */
export const project = z.strictObject({
  format: z.literal(1).describe('The version of this format.'),
  project: z
    .string()
    .regex(
      /^[a-z][a-z0-9_-]{0,39}$/,
      'The name of a project begins with a lowercase letter and has at most 40 lowercase letters, digits, dashes and _',
    )
    .describe('The name of the project, part of its task queues.'),
  environments: z
    .record(
      environmentName,
      environment.nullable().transform((value) => value ?? environment.parse({})),
    )
    .refine((environments) => Object.keys(environments).length > 0, 'A project has at least one environment')
    .meta({ minProperties: 1 })
    .describe('The environments in which abilities run.'),
  people: z.record(plainName, texts).default({}).describe('Groups of approvers, by name.'),
  models: models.default({}).describe('The models that agents use, by name; agents that name none use `default`.'),
  notify: z.array(notify).default([]).describe('Webhooks that receive notices of approvals and failures.'),
  default_environment: environmentName.optional().describe('The environment of commands that name none.'),
  policy: z
    .strictObject({
      max_timeout: duration.optional().describe('No call and no task may take longer, whatever its definition says.'),
      allowed_hosts: texts
        .optional()
        .describe(
          'Hosts that may be called, such as *.acme.test, 127.0.0.1:8080 or 100.64.0.0/10:443; without it, only those of the endpoints.',
        ),
      max_file: byteSize.optional().describe('No file of a task may be larger; 1GiB without it.'),
      max_task_files: byteSize.optional().describe('Maximum size of all files of a task together; 4GiB without it.'),
      keep_files: duration
        .optional()
        .describe('How long files are retained after the end of their task; 30d without it.'),
      direct_records: z
        .strictObject({ keep: duration.describe('How long each is retained, from the start of the run; such as 7d.') })
        .optional()
        .describe('Direct runs (`--direct`) write a record for this long; without it, they write none.'),
      embeddings: embeddings
        .optional()
        .describe(
          'Ranks requests by meaning as well; without it, by their words alone, and nothing leaves the machine.',
        ),
      router: router.optional().describe('How `ability ask` decides; without it, by rules, with a threshold of 0.65.'),
      hooks: z
        .enum(['activities'])
        .optional()
        .describe(
          'With `activities`, each guard phase runs in an activity of its own, so that the history and the Temporal UI show every answer as an event; without it, expressions and built-in hooks add no event.',
        ),
      bypass: bypass
        .optional()
        .describe('What `ability guard` does about tool calls that bypass the runtime: deny, warn or off.'),
    })
    .default({})
    .describe('Limits that no definition may exceed.'),
  placement: z
    .strictObject({
      cloud: texts.optional().describe('Servers that may run in the cloud.'),
      local: texts.optional().describe('Servers that are local, even if `cloud` lists them.'),
    })
    .default({})
    .describe('Where servers may run; those that are not named are local.'),
});

export type Project = z.output<typeof project>;
