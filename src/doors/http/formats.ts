import { z } from 'zod';
import { LISTED_STATES } from '../../client/index.js';
import { ROUTES } from '../../contracts/routing.js';
import { END_STATES, OPEN_STATES } from '../../contracts/states.js';
import { TASK_EVENTS } from '../../contracts/task-events.js';
import { isDuration, parseDuration } from '../../rules/duration.js';
import { OUTCOMES } from '../answers/ask/ask-shapes.js';

/** The longest that a request waits for a task; proxies end requests that take longer. */
const LONGEST_WAIT_MS = 5 * 60_000;

/** Stands for any JSON: an OpenAPI document cannot contain the recursive schema. */
const json = z.unknown();
const input = z.record(z.string(), json).describe('The input of the ability, as its input_schema describes it.');
const environment = z.string().min(1).max(100).describe('If left out, the project chooses it.');
const wait = z
  .string()
  .refine((text) => isDuration(text) && parseDuration(text) <= LONGEST_WAIT_MS, 'It is no duration of at most 5m')
  .describe('How long to wait for the end, such as 30s, at most 5m (default: 0s).');

const newTask = {
  ability: z.string().min(1).max(200).describe('Its id.'),
  input: input.optional(),
  environment: environment.optional(),
  session: z.string().min(1).max(100).optional().describe('The session that the task belongs to.'),
  scope: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The folder that the task is about (default: that of the door).'),
  intent: z.string().trim().min(1).max(1000).optional().describe('What it is for; kept and shown with the task.'),
  plan: z
    .string()
    .regex(/^[0-9a-f]{64}(?:\.[0-9a-f]{64})?$/)
    .optional()
    .describe('Refuse anything but the plan with this digest; after a dot that of its input.'),
};

export const createBody = z.strictObject(newTask);
export const changeBody = z.strictObject({
  set: z.record(z.string(), json).default({}).describe('The fields to set.'),
  unset: z.array(z.string()).default([]).describe('The fields to remove.'),
});
export const runBody = z
  .strictObject({
    ...newTask,
    ability: newTask.ability.optional().describe('Its id; either this or `prompt`.'),
    prompt: z.string().min(1).optional().describe('What is wanted, in plain words, instead of `ability` and `input`.'),
    pack: z.string().min(1).max(100).optional().describe('With `prompt`: the pack that is to do it.'),
    wait: wait.optional(),
  })
  .describe('Either `ability`, or `prompt`.');
export const waitBody = z.strictObject({ wait: wait.optional() });
export const planBody = z.strictObject({ input: input.optional(), environment: environment.optional() });
export const signalBody = z.strictObject({
  payload: json.optional().describe('What the signal carries (default: null).'),
});
export const decisionBody = z.strictObject({
  decision: z.enum(['approve', 'deny', 'request_changes']),
  comment: z.string().max(10_000).optional().describe('Why; for request_changes, what has to change.'),
  fields: z.record(z.string(), json).optional().describe('What the approval asks the decider to fill in.'),
});
export const sessionBody = z.strictObject({
  id: z.string().min(1).max(64).optional().describe('Your own id; an open session with that id is used again.'),
  environment: environment.optional(),
  scope: z.string().min(1).max(200).optional().describe('The folder that it is about.'),
  idle: z
    .string()
    .refine(isDuration, 'It is no duration')
    .optional()
    .describe('End the session when nothing has happened for this long.'),
});
export const promptBody = z.strictObject({ prompt: z.string().min(1) });

export const keyParams = z.strictObject({ key: z.string().min(1).max(500).describe('The task key.') });
export const signalParams = z.strictObject({ ...keyParams.shape, name: z.string().min(1).max(100) });
export const approvalParams = z.strictObject({ ...keyParams.shape, approval: z.string().min(1).max(300) });
export const abilityParams = z.strictObject({ id: z.string().min(1).max(200) });
export const sessionParams = z.strictObject({ id: z.string().min(1).max(64) });

export const webhookParams = z.strictObject({ name: z.string().min(1).max(100).describe('Its name in `triggers`.') });
export const deliveryBody = z
  .unknown()
  .describe('Any JSON; the signature is checked over its bytes. Expressions of the trigger read it as `webhook.body`.');

export const environmentQuery = z.strictObject({ environment: environment.optional() });
export const waitQuery = z.strictObject({ wait: wait.optional() });
export const logsQuery = z.strictObject({ step: z.string().min(1).max(300).optional().describe('Its id or path.') });
export const deleteQuery = z.strictObject({
  purge: z.enum(['true', 'false']).optional().describe('Delete its history in Temporal as well.'),
});
const listedState = z.enum(LISTED_STATES);
export const listQuery = z.strictObject({
  status: z
    .union([listedState, z.array(listedState)])
    .optional()
    .describe('Only those in this state; may be repeated.'),
  ability: z.string().min(1).max(200).optional(),
  environment: environment.optional(),
  session: z.string().min(1).max(100).optional(),
  since: z.iso.datetime({ offset: true }).optional().describe('Only those started since.'),
  limit: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, 'It is no number from 1 to 999')
    .optional()
    .describe('At most this many (default: 50).'),
  cursor: z.string().min(1).max(4096).optional().describe('`next_cursor` of the previous part.'),
});

const problem = z.looseObject({ code: z.string(), message: z.string() });
export const problemAnswer = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string().describe('Stable; docs/errors.md lists them.'),
  suggestion: z.string().nullable(),
  location: json.nullable(),
  details: json.optional(),
});
const meta = z.strictObject({ session_id: z.string() }).optional().describe('The session that an agent was given.');
export const createdAnswer = z.strictObject({
  status: z.literal('available'),
  task_key: z.string(),
  warnings: z.array(z.string()),
  _meta: meta,
});
export const changedAnswer = z.strictObject({
  status: z.literal('available'),
  task_key: z.string(),
  changed: z.array(z.string()).describe('The fields that differ from before.'),
  input: z.record(z.string(), json),
  warnings: z.array(z.string()),
});
const resultShape = {
  status: z.enum([...OPEN_STATES, ...END_STATES]),
  task_key: z.string().nullable(),
  ability_id: z.string(),
  version: z.union([z.string(), z.number()]),
  digest: z.string(),
  environment: z.string(),
  output: json,
  error: problem.nullable(),
  warnings: z.array(z.string()),
  steps: z.array(z.looseObject({ id: z.string(), path: z.string(), status: z.string() })),
  approvals: z.array(z.looseObject({ id: z.string(), title: z.string(), status: z.string() })),
  hooks: z.array(z.looseObject({})),
  requested_by: z.looseObject({ name: z.string() }),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
  cleanup_ran: z.boolean().nullable(),
  rolled_back: z.enum(['complete', 'partial', 'none']).optional().describe('Left out if nothing was to be undone.'),
  not_undone: z
    .array(z.looseObject({ path: z.string(), call: z.string(), status: z.string() }))
    .optional()
    .describe('The calls that were to be undone and were not, or perhaps not.'),
  links: z.strictObject({ temporal: z.string().nullable(), record: z.string().nullable() }),
  _meta: meta,
};
export const requestAnswer = z.looseObject({
  run: z.string().describe('The id of the run: that of `Idempotency-Key`, where one was sent.'),
  session_id: z.string().describe('To answer a question, send the next `prompt` with this `session`.'),
  outcome: z.enum(OUTCOMES),
  answer: z.string(),
  question: z.string().nullable(),
  options: z.array(z.string()),
  decision: z.looseObject({ decision: z.enum(ROUTES), confidence: z.number() }),
  plan: z.array(z.looseObject({ ability_id: z.string() })),
  unused: z.array(z.string()).describe('Words of the request that the plan does not account for.'),
  problem: problem.nullable(),
  tasks: z.array(
    z.looseObject({
      task_key: z.string(),
      ability_id: z.string(),
      status: z.string(),
      result: z.looseObject(resultShape).optional().describe('As far as it has come within `wait`.'),
    }),
  ),
  _meta: z.looseObject({
    pack: z.string().nullable(),
    required_capabilities: z.array(z.string()),
    routing_method: z.string(),
  }),
});
export const resultAnswer = z.looseObject(resultShape);
export const seenAnswer = z.looseObject({ ...resultShape, source: z.string() });
export const acceptedAnswer = z.strictObject({
  status: z.literal('accepted'),
  task_key: z.string(),
  signal: z.string().optional(),
});
export const runningAnswer = z.strictObject({ status: z.literal('running'), task_key: z.string() });
export const deletedAnswer = z.looseObject({ status: z.literal('deleted'), task_key: z.string(), purged: z.boolean() });
export const listAnswer = z.strictObject({
  tasks: z.array(z.looseObject({ task_key: z.string(), ability_id: z.string(), status: listedState })),
  next_cursor: z.string().nullable(),
});
export const logsAnswer = z.array(
  z.looseObject({ time: z.string(), step: z.string(), attempt: z.number(), stream: z.string(), text: z.string() }),
);
export const approvalsAnswer = z.array(
  z.looseObject({ id: z.string(), task_key: z.string(), title: z.string(), what_digest: z.string() }),
);
export const decidedAnswer = z.looseObject({
  task_key: z.string(),
  counted: z.literal(true),
  approval_id: z.string(),
  status: z.string(),
  missing: z.int(),
});
export const abilitiesAnswer = z.array(z.looseObject({ id: z.string(), level: z.string(), summary: z.string() }));
export const abilityAnswer = z.looseObject({ definition: z.looseObject({}), environment: z.string() });
export const planAnswerFormat = z.looseObject({ status: z.string(), code: z.string().nullable() });
export const graphAnswer = z.looseObject({ ability: z.string(), mermaid: z.string() });
export const startedAnswer = z.looseObject({ session_id: z.string(), environment: z.string(), attached: z.boolean() });
export const turnAnswer = z.looseObject({
  session_id: z.string(),
  turn_index: z.int(),
  hook_signals: z.looseObject({}),
});
export const sessionAnswer = z.looseObject({ session_id: z.string(), status: z.string() });
export const healthAnswer = z.strictObject({ status: z.enum(['ok', 'unavailable']) });
export const skippedAnswer = z.strictObject({ status: z.literal('skipped'), by: z.enum(['if', 'ping']) });
export const deliveryAnswer = z.strictObject({
  status: z.literal('started'),
  task_key: z.string(),
  known: z.boolean().describe('The same delivery was received before.'),
});
export const eventAnswer = z.strictObject({
  id: z.string(),
  type: z.enum(TASK_EVENTS),
  time: z.string(),
  data: z.looseObject({}),
});
