import { z } from 'zod';
import { AbilityError } from '../../../contracts/problem.js';
import { attempt } from '../../../text/attempt.js';
import { parseBody } from '../webhooks/take-delivery.js';

const text = z.string();
const verdict = z.enum(['approve', 'deny', 'request_changes']);
/** What a button decides on. */
const target = z.strictObject({ project: text, task: text, approval: text, raised: text });
/** What a dialog carries: that, the button that opened it, and where that was. */
const carried = target.extend({ verdict, channel: text });
const who = z
  .looseObject({
    user: z.looseObject({ id: text, team_id: text.optional() }),
    team: z.looseObject({ id: text }).nullish(),
  })
  .transform(({ user: { id, team_id }, team }) => ({ id, team: team_id ?? team?.id }));

const click = z
  .looseObject({
    type: z.literal('block_actions'),
    channel: z.looseObject({ id: text }),
    trigger_id: text,
    actions: z.tuple([z.looseObject({ action_id: verdict, value: jsonOf(target) })]),
  })
  .transform(({ channel, trigger_id, actions: [{ action_id, value }] }) => ({
    about: { ...value, verdict: action_id, channel: channel.id },
    trigger: trigger_id,
    values: null,
  }));

/** What people filled in: by block, by element. */
const values = z.record(
  text,
  z.record(text, z.looseObject({ value: text.nullish(), selected_option: z.looseObject({ value: text }).nullish() })),
);

const submission = z
  .looseObject({
    type: z.literal('view_submission'),
    view: z.looseObject({ private_metadata: jsonOf(carried), state: z.looseObject({ values }) }),
  })
  .transform(({ view }) => ({ about: view.private_metadata, trigger: null, values: view.state.values }));

const interaction = z.union([click, submission]);

export type Carried = z.output<typeof carried>;
export type FilledIn = z.output<typeof values>;
/** A click on a button of ours (`values` is null), or a dialog that was sent. Source: https://docs.slack.dev/reference/interaction-payloads. */
export type Interaction = z.output<typeof interaction> & { user: z.output<typeof who> };

/** @param body a form with the JSON in `payload`. @throws AbilityError `door.bad_request` for what no message of ours sends. */
export function readInteraction(body: Buffer): Interaction {
  const [payload = '', ...more] = new URLSearchParams(body.toString('utf8')).getAll('payload');
  const sent = parseBody(Buffer.from(payload));
  const { data } = interaction.safeParse(sent);
  const { data: user } = who.safeParse(sent);
  if (data && user && more.length === 0) return { ...data, user };
  throw new AbilityError({
    code: 'door.bad_request',
    message: 'It is no click on a button, and no dialog, of a message that asks for a decision',
  });
}

function jsonOf<T extends z.ZodType>(format: T) {
  return text.transform((json) => attempt(() => JSON.parse(json) as unknown)).pipe(format);
}
