import { z } from 'zod';
import { NOTICE_EVENTS, NOTICE_FORMATS } from '../../contracts/notices.js';
import { access } from './access.js';
import { editable, whileOpen } from './approval.js';
import { models } from './models.js';
import { confinement } from './sandbox.js';
import { secretProviders } from './secrets.js';
import {
  byteSize,
  duration,
  durationUpTo,
  effect,
  environmentName,
  jsonObject,
  matching,
  optional,
  ownReference,
  plainName,
  secretReference,
  text,
  texts,
} from './values.js';

/** One environment. Source: docs/definitions.md; docs/approvals.md#who-may-decide. */
const environment = z.strictObject({
  protected: z
    .boolean()
    .default(false)
    .describe(
      'Hooks see it; people cannot approve their own requests unless self_approval allows it; MCP tools must be pinned.',
    ),
  approve: z.array(effect).default([]).describe('Effects whose calls need an approval here.'),
  edit: editable,
  approvers: texts.default([]).describe('Groups of `people`, or persons; empty: anyone.'),
  quorum: z.number().int().min(1).max(20).default(1).describe('How many of them must approve.'),
  self_approval: optional(
    z.boolean(),
    'Whether the requester may decide; without it, only if the environment is not protected.',
  ),
  proof: z.enum(['claimed', 'required']).default('claimed').describe('Whether the name of an approver must be proved.'),
  grants: optional(
    z.boolean(),
    'Whether one yes may allow further calls that are alike; without it, only if the environment is not protected.',
  ),
  ...whileOpen,
  network: optional(
    z.boolean(),
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

const requestTime = durationUpTo(60_000, 'A request waits at least 1ms and at most 60s');

/**
 * Ranking by meaning. The operator sets the address and the key in OPENAI_BASE_URL and OPENAI_API_KEY: a file of
 * the project says neither where requests nor where a key is sent. Source: C-49.
 */
const embeddings = z.strictObject({
  model: text.max(200).describe('The model, as the endpoint names it.'),
  timeout: requestTime
    .default('3s')
    .describe('How long a request waits for the endpoint before it is ranked by words alone.'),
});

/**
 * The router for requests in plain words. Address and key: as for embeddings. Source: R-003-07, R-003-15; C-25;
 * docs/choosing.md#deciding.
 */
const router = z.strictObject({
  model: optional(
    text.max(200),
    'The model that decides, as the endpoint names it; without it, rules decide, and nothing leaves the machine.',
  ),
  timeout: requestTime.default('10s').describe('How long a request waits for the model before rules decide.'),
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
    secret: optional(
      secretReference,
      'A reference to the secret that signs, whsec_ and base64; optional only with `format: slack`.',
    ),
    format: z.enum(NOTICE_FORMATS).default('json').describe('The format of the notices.'),
    environments: optional(
      z.array(environmentName).min(1),
      'Only for tasks in these environments; without it, in all.',
    ),
  })
  .refine(({ format, secret }) => format === 'slack' || secret !== undefined, {
    error: 'A notice must be signed: set `secret`, a reference to the secret that signs it',
    path: ['secret'],
  });

const slackId = matching(/^[UW][A-Z0-9]{2,30}$/, 'An id of a person in Slack looks like U0123ABCD');

/** A group of people; a list is its members. Source: docs/sign-in.md#groups. */
const group = z.union(
  [
    texts,
    z.strictObject({
      members: texts.default([]).describe('Names of people.'),
      claim: text.max(300).describe('What the group is called in the claim of the OpenID provider.'),
    }),
    z.strictObject({ slack: slackId.describe('The id of the person in Slack, such as U0123ABCD.') }),
  ],
  'A list of names of people, a map with `claim`, or a person: { slack: U0123ABCD }',
);

/** A map: two persons of one account could not be told apart. */
const people = z.record(plainName, group).superRefine((all, context) => {
  const known = new Map<string, string>();
  for (const [name, entry] of Object.entries(all)) {
    if (!('slack' in entry)) continue;
    const other = known.get(entry.slack);
    const message = `${other} has this id in Slack already, and an account is one person`;
    if (other !== undefined) context.addIssue({ code: 'custom', message, path: [name, 'slack'] });
    known.set(entry.slack, name);
  }
});

/** A Slack app, in which people decide approvals. Source: docs/approvals.md#in-slack. */
const slack = z.strictObject({
  signing_secret: ownReference.describe('The signing secret of the app, as a reference.'),
  bot_token: ownReference.describe('The token of its bot, as a reference.'),
  channel: matching(/^[CG][A-Z0-9]{2,30}$/, 'A channel is named by its id in Slack, such as C0123ABCD').describe(
    'The channel that is asked.',
  ),
  environments: optional(z.array(environmentName).min(1), 'Only approvals in these environments; without it, in all.'),
  api: matching(
    /^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/])\S*[^\s/]$/,
    'The token of the bot is sent there: an address with https, or http on this machine, without a slash at its end',
  )
    .refine(URL.canParse, 'This is no address')
    .default('https://slack.com/api')
    .describe('The address of the Web API of Slack.'),
});

const audit = z.strictObject({
  to: secretReference.describe('The address to send to, as a reference.'),
  secret: secretReference.describe('A reference to the secret that signs, whsec_ and base64.'),
});

const doorKey = matching(
  /^[A-Za-z0-9_-]{43}$/,
  'A public key is 43 characters of base64url, as `ability keys create --for-door` prints it',
).describe('The public key of a door.');

const PLACEMENT_NAME =
  'A placement begins with a lowercase letter and has at most 32 lowercase letters, digits, dashes and _; local, cloud and all are taken';

/** Placements of the project's own. Source: docs/placement.md#placements-of-your-own. */
const placements = z
  .record(
    matching(/^(?!(?:local|cloud|all)$)[a-z][a-z0-9_-]{0,31}$/, PLACEMENT_NAME),
    z
      .strictObject({ servers: texts.default([]).describe('Servers that only workers of this placement reach.') })
      .nullable()
      .transform((value) => value ?? { servers: [] }),
  )
  .superRefine((all, context) => {
    const placed = new Map<string, string>();
    for (const [name, { servers }] of Object.entries(all)) {
      for (const [index, server] of servers.entries()) {
        const other = placed.get(server);
        const message = `The server ${server} is in ${other} already, and is reached in one placement`;
        if (other !== undefined) context.addIssue({ code: 'custom', message, path: [name, 'servers', index] });
        placed.set(server, name);
      }
    }
  });

/** `ability.yaml`: marks a project. */
export const project = z.strictObject({
  format: z.literal(1).describe('The version of this format.'),
  project: matching(
    /^[a-z][a-z0-9_-]{0,39}$/,
    'The name of a project begins with a lowercase letter and has at most 40 lowercase letters, digits, dashes and _',
  ).describe('The name of the project, part of its task queues.'),
  environments: z
    .record(
      environmentName,
      environment.nullable().transform((value) => value ?? environment.parse({})),
    )
    .refine((environments) => Object.keys(environments).length > 0, 'A project has at least one environment')
    .meta({ minProperties: 1 })
    .describe('The environments in which abilities run.'),
  people: people
    .default({})
    .describe(
      'Groups of people, by name: their members, and who is in the group of that name in the claim of an OpenID provider. Also persons, with their id in Slack.',
    ),
  doors: z
    .record(plainName, doorKey)
    .default({})
    .describe('Doors whose signatures prove who decided, by the ids of their keys: `ability keys create --for-door`.'),
  access: access
    .default({})
    .describe(
      'Rights of people who sign in through an identity provider, or decide in Slack, by group: one of `people`, or one of their claim; or by person of `people`.',
    ),
  models: models.default({}).describe('The models that agents use, by name; agents that name none use `default`.'),
  secrets: secretProviders
    .default({})
    .describe('Programs that give secrets, by name: `vault` makes references such as vault:kv/db#password work.'),
  notify: z.array(notify).default([]).describe('Webhooks that receive notices of approvals and failures.'),
  audit: z
    .union([z.boolean(), audit], 'true, false, or a map with `to` and `secret`')
    .default(false)
    .describe('Whether an audit log is kept of all tasks, and where its lines are sent as CloudEvents as well.'),
  slack: optional(slack, 'The Slack app in which people decide approvals.'),
  default_environment: optional(environmentName, 'The environment of commands that name none.'),
  policy: z
    .strictObject({
      max_timeout: optional(duration, 'No call and no task may take longer, whatever its definition says.'),
      allowed_hosts: optional(
        texts,
        'Hosts that may be called, such as *.acme.test, 127.0.0.1:8080 or 100.64.0.0/10:443; without it, only those of the endpoints.',
      ),
      max_file: optional(byteSize, 'No file of a task may be larger; 1GiB without it.'),
      max_task_files: optional(byteSize, 'Maximum size of all files of a task together; 4GiB without it.'),
      keep_files: optional(duration, 'How long files are retained after the end of their task; 30d without it.'),
      direct_records: optional(
        z.strictObject({
          keep: duration.describe('How long each is retained, from the start of the run; such as 7d.'),
        }),
        'Direct runs (`--direct`) write a record for this long; without it, they write none.',
      ),
      embeddings: optional(
        embeddings,
        'Ranks requests by meaning as well; without it, by their words alone, and nothing leaves the machine.',
      ),
      router: optional(router, 'How `ability ask` decides; without it, by rules, with a threshold of 0.65.'),
      hooks: optional(
        z.enum(['activities']),
        'With `activities`, each guard phase runs in an activity of its own, so that the history and the Temporal UI show every answer as an event; without it, expressions and built-in hooks add no event.',
      ),
      sandbox: confinement.sandbox.describe(
        'The box of every script and stdio server that states none, and the bound of those that do.',
      ),
      limits: confinement.limits.describe('The limits of every script and stdio server; the narrower ones count.'),
      bypass: optional(
        bypass,
        'What `ability guard` does about tool calls that bypass the runtime: deny, warn or off.',
      ),
    })
    .default({})
    .describe('Limits that no definition may exceed.'),
  placement: z
    .strictObject({
      cloud: optional(texts, 'Servers that may run in the cloud.'),
      local: optional(texts, 'Servers that are local, even if `cloud` lists them.'),
    })
    .default({})
    .describe('Where servers may run; those that are not named are local.'),
  placements: placements
    .default({})
    .describe('Placements besides local and cloud, by name; each is a local one, with workers of its own.'),
});

export type Project = z.output<typeof project>;
