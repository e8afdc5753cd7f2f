import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { AbilityError } from '../../../contracts/problem.js';
import { attempt } from '../../../text/attempt.js';
import type { Headers } from '../webhooks/check-signature.js';
import { parseBody } from '../webhooks/take-delivery.js';

/** How far the time of a request may be from ours, either way. Source: https://docs.slack.dev/authentication/verifying-requests-from-slack. */
const TOLERANCE_MS = 5 * 60_000;

/** Requests that were taken, so that none is taken twice. */
export class TakenRequests {
  /** When a signature is no longer valid, in milliseconds since 1970; the oldest comes first. */
  private readonly ends = new Map<string, number>();

  /** Takes a request that Slack signed, once. @param now milliseconds since 1970. @throws AbilityError `door.unsigned`. */
  take(secret: string, headers: Headers, body: Buffer, now: number): void {
    const { seconds, signature } = readSignature(headers);
    const wanted = createHmac('sha256', secret).update(`v0:${seconds}:`).update(body).digest();
    if (!timingSafeEqual(wanted, Buffer.from(signature, 'hex'))) throw unsigned('its signature does not fit it');
    if (Math.abs(now - Number(seconds) * 1000) > TOLERANCE_MS) {
      throw unsigned(`its time, ${seconds}, differs from ours by more than five minutes`);
    }
    for (const [old, end] of this.ends) {
      if (end > now) break;
      this.ends.delete(old);
    }
    if (this.ends.has(signature)) throw unsigned('it was received before');
    // One whose time is ahead of ours stays valid for longer.
    this.ends.set(signature, now + 2 * TOLERANCE_MS);
  }
}

/** Unchecked. @throws AbilityError `door.unsigned` if there is none. */
export function readSignature(headers: Headers): { seconds: string; signature: string } {
  const seconds = String(headers['x-slack-request-timestamp'] ?? '');
  const [, signature] = /^v0=([0-9a-f]{64})$/.exec(String(headers['x-slack-signature'] ?? '')) ?? [];
  if (/^\d{1,12}$/.test(seconds) && signature !== undefined) return { seconds, signature };
  throw unsigned('it has no signature of Slack');
}

function unsigned(why: string): AbilityError {
  return new AbilityError({
    code: 'door.unsigned',
    message: `The request is not accepted: ${why}`,
    suggestion: 'Compare the signing secret of the Slack app with `slack.signing_secret`, and the clocks.',
  });
}

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
