import { z } from 'zod';
import { OVERLAPS, SCHEDULE_ID } from '../../contracts/schedules.js';
import { isDuration, parseDuration } from '../../rules/duration.js';
import { isNamedZone } from '../../rules/expressions/zones/named-zones.js';
import { whyNotAhead } from '../../rules/schedules/approve-before.js';
import { readCron } from '../../rules/schedules/cron.js';
import { WEBHOOK_NAME } from '../../rules/tasks/delivery-key.js';
import { condition, duration, environmentName, jsonObject, matching, optional, ownReference, text } from './values.js';

const CRON = 'Write five fields, such as "0 3 * * *", or @daily';
const ZONE = 'Write an IANA name, such as Europe/Berlin';

/** `schedules` of a high-level file; `ability schedule sync` makes Temporal's schedules match. */
export const schedules = z
  .array(
    z
      .strictObject({
        id: matching(SCHEDULE_ID).describe(
          'Name of the schedule, unique in the project; its tasks are named after it.',
        ),
        cron: z
          .string(CRON)
          .superRefine((cron, context) => {
            const read = readCron(cron);
            if (typeof read === 'string') context.addIssue({ code: 'custom', message: `${CRON}: ${read}` });
          })
          .describe('When it fires: minute, hour, day of month, month, day of week.'),
        timezone: z
          .string()
          .refine(isNamedZone, ZONE)
          .default('UTC')
          .describe('IANA name of the zone of `cron`, such as Europe/Berlin.'),
        environment: environmentName.describe('Where its tasks run.'),
        input: jsonObject.default({}).describe('The input of its tasks; checked at each firing.'),
        intent: optional(text.max(1000), 'The purpose of its tasks, in plain words; stored in their records.'),
        overlap: z
          .enum(OVERLAPS)
          .default('skip')
          .describe('What happens to a firing while the task of an earlier one is open.'),
        jitter: duration.default('0s').describe('The maximum random delay of each firing.'),
        catch_up: duration
          .default('1h')
          .describe('How long after its scheduled time a missed firing is still caught up.'),
        approve_before: optional(duration, 'How long before each firing its known approvals are asked for.'),
      })
      .superRefine(({ cron, overlap, jitter, approve_before }, context) => {
        if (approve_before === undefined || ![jitter, approve_before].every(isDuration)) return;
        const times = { cron, overlap, jitter_ms: parseDuration(jitter) };
        const message = whyNotAhead({ ...times, approve_before_ms: parseDuration(approve_before) });
        if (message !== undefined) context.addIssue({ code: 'custom', message, path: ['approve_before'] });
      }),
  )
  .min(1);

const INPUT = 'An object belongs here, or one ${{ }} that gives one, such as "${{ webhook.body }}"';

/** `triggers` of an ability: webhooks that start it, sent to `POST /v1/webhooks/NAME` of `ability serve`. */
export const triggers = z
  .array(
    z.strictObject({
      webhook: matching(WEBHOOK_NAME).describe(
        'Name of the webhook, unique in the project: it is sent to `POST /v1/webhooks/NAME`.',
      ),
      secret: ownReference.describe(
        'A reference to the secret that its sender signs with; `ability serve` resolves it, and refuses unsigned deliveries.',
      ),
      environment: optional(environmentName, 'Where its tasks run; without it, the only environment of the ability.'),
      if: optional(
        condition,
        'CEL over `webhook.headers` and `webhook.body`; if it is false, the delivery starts nothing.',
      ),
      input: z
        .union([jsonObject, matching(/^\s*\$\{\{[\s\S]*\}\}\s*$/, INPUT)], INPUT)
        .default({})
        .describe('The input of its tasks, with ${{ }} over `webhook.headers` and `webhook.body`.'),
      key: optional(
        text,
        'The last part of the task key `webhook:<name>:<key>`, with ${{ }}; without it, the id that the sender gives the delivery.',
      ),
      intent: optional(text.max(1000), 'The purpose of its tasks, in plain words; stored in their records.'),
    }),
  )
  .min(1);
