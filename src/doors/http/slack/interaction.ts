import { z } from 'zod';
import { AbilityError } from '../../../contracts/problem.js';
import { parseBody } from '../webhooks/take-delivery.js';

const user = z.looseObject({ id: z.string(), team_id: z.string().optional() });
const team = z.looseObject({ id: z.string() }).nullish();
const verdict = z.enum(['approve', 'deny', 'request_changes']);

/** What a button decides on. */
const target = z.strictObject({ project: z.string(), task: z.string(), approval: z.string(), raised: z.string() });

/** What a dialog carries: its approval, the button that opened it and where that was. */
const carried = z.strictObject({ ...target.shape, verdict, channel: z.string() });

/** What people filled in: by block, by element. */
const values = z.record(
  z.string(),
  z.record(
    z.string(),
    z.looseObject({
      value: z.string().nullish(),
      selected_option: z.looseObject({ value: z.string() }).nullish(),
    }),
  ),
);

const click = z
  .looseObject({
    type: z.literal('block_actions'),
    user,
    team,
    channel: z.looseObject({ id: z.string() }),
    trigger_id: z.string(),
    actions: z.tuple([z.looseObject({ action_id: verdict, value: jsonOf(target) })]),
  })
  .transform(({ user, team, channel, trigger_id, actions: [{ action_id, value }] }) => ({
    user: { ...user, team: user.team_id ?? team?.id },
    about: { ...value, verdict: action_id, channel: channel.id },
    trigger: trigger_id,
    values: null,
  }));

const submission = z
  .looseObject({
    type: z.literal('view_submission'),
    user,
    team,
    view: z.looseObject({ private_metadata: jsonOf(carried), state: z.looseObject({ values }) }),
  })
  .transform(({ user, team, view }) => ({
    user: { ...user, team: user.team_id ?? team?.id },
    about: view.private_metadata,
    trigger: null,
    values: view.state.values,
  }));

/** A click on a button of ours (`values` is null), or a dialog that was sent. Source: https://docs.slack.dev/reference/interaction-payloads. */
const interaction = z.union([click, submission]);

export type Interaction = z.output<typeof interaction>;
export type Carried = z.output<typeof carried>;
export type FilledIn = z.output<typeof values>;

/** @param body a form with the JSON in `payload`. @throws AbilityError `door.bad_request` for what no message of ours sends. */
export function readInteraction(body: Buffer): Interaction {
  const payload = new URLSearchParams(body.toString('utf8')).getAll('payload');
  const { data } = interaction.safeParse(payload.length === 1 ? parseBody(Buffer.from(payload[0] ?? '')) : undefined);
  if (data) return data;
  throw new AbilityError({
    code: 'door.bad_request',
    message: 'It is no click on a button, and no dialog, of a message that asks for a decision',
  });
}

function jsonOf<T extends z.ZodType>(format: T) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'It is not JSON' });
        return z.NEVER;
      }
    })
    .pipe(format);
}
