import { z } from 'zod';
import { AbilityError } from '../../../contracts/problem.js';
import type { Registry } from '../../../definitions/registry.js';
import {
  type FoundTrigger,
  resolveTriggerSecret,
  statedTriggers,
  unreadTriggers,
} from '../../../planning/triggers/check-trigger.js';
import { defineRoute, type HttpCall, type Route } from '../route.js';
import { checkSignature, refuseUnsigned } from '../webhooks/check-signature.js';
import { takeDelivery } from '../webhooks/take-delivery.js';

const params = z.strictObject({ name: z.string().min(1).max(100).describe('Its name in `triggers`.') });

const body = z
  .unknown()
  .describe('Any JSON; the signature is checked over its bytes. Expressions of the trigger read it as `webhook.body`.');

const skipped = z.strictObject({ status: z.literal('skipped'), by: z.enum(['if', 'ping']) });

const started = z.strictObject({
  status: z.literal('started'),
  task_key: z.string(),
  known: z.boolean().describe('The same delivery was received before.'),
});

/** Deliveries of other programs, admitted by their signature. */
export const webhookRoutes: Route[] = [
  defineRoute({
    name: 'receiveWebhook',
    method: 'POST',
    path: '/v1/webhooks/{name}',
    summary: 'Start an ability from a signed webhook (GitHub, Standard Webhooks, Svix).',
    right: null,
    params,
    body,
    takes: 'bytes',
    headers: {
      'X-Hub-Signature-256': 'The signature of GitHub.',
      'webhook-signature': 'The signature of Standard Webhooks, with `webhook-id` and `webhook-timestamp`.',
      'svix-signature': 'The same by Svix, with `svix-id` and `svix-timestamp`.',
    },
    answers: {
      200: {
        means: '`if` of the trigger is false, or it is the ping of GitHub: nothing was started.',
        schema: skipped,
      },
      202: { means: 'It is accepted; the same delivery is the same task.', schema: started },
    },
    countsItself: true,
    refuseUnread({ headers, params, door, count }) {
      countingRefusals(count, () => {
        refuseUnsigned(headers);
        refuseForms(headers['content-type']);
        findTrigger(door.registry(), (params as { name?: string }).name ?? '');
      });
    },
    async handle(call) {
      const { door, params, headers, count } = call;
      const body = call.body as unknown as Buffer;
      const { found, signed } = countingRefusals(count, () => {
        const registry = door.registry();
        const found = findTrigger(registry, params.name);
        const secret = forOperator(() => resolveTriggerSecret(registry, found, door.env));
        return { found, signed: checkSignature(secret, headers, body, Date.now()) };
      });
      count(`webhook ${params.name}`);
      return takeDelivery({ ...call, body }, found, signed);
    },
  }),
];

/** Only refused deliveries count against the address, which all senders behind a proxy share. */
export function countingRefusals<T>(count: HttpCall<unknown, unknown, unknown>['count'], admit: () => T): T {
  try {
    return admit();
  } catch (error) {
    count(null);
    throw error;
  }
}

/** @throws AbilityError `door.no_webhook`; Error if a definition that may state it is unreadable. */
function findTrigger(registry: Registry, name: string): FoundTrigger {
  const found = forOperator(() => statedTriggers(registry)).get(name);
  if (found) return found;
  const unread = unreadTriggers(registry);
  if (unread) throw new Error(`${unread.code}: ${unread.message}`);
  throw new AbilityError({
    code: 'door.no_webhook',
    message: 'No definition states a webhook of this name',
    suggestion: 'Compare the address with `webhook` of `triggers` in the definitions.',
  });
}

/** Until a signature is verified, only the operator sees errors of definitions and secrets. @throws Error. */
export function forOperator<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof AbilityError ? new Error(`${error.code}: ${error.message}`) : error;
  }
}

/** @throws AbilityError `door.media_type`. */
function refuseForms(type: string | string[] | undefined): void {
  if (!String(type).startsWith('application/x-www-form-urlencoded')) return;
  throw new AbilityError({
    code: 'door.media_type',
    message: 'The webhook is sent as a form',
    suggestion: 'Choose the content type application/json where the webhook is set up.',
  });
}
