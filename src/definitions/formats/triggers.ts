import { z } from 'zod';
import { WEBHOOK_NAME } from '../../rules/delivery-key.js';
import { condition, environmentName, jsonObject, secretReference } from './values.js';

const INPUT = 'An object belongs here, or one ${{ }} that gives one, such as "${{ webhook.body }}"';

/**
 * `triggers` of an ability: the webhooks that start it. `ability serve` takes them at `POST /v1/webhooks/NAME`.
 *
 */
export const triggers = z
  .array(
    z.strictObject({
      webhook: z
        .string()
        .regex(WEBHOOK_NAME)
        .describe('Name of the webhook, one in the project: it is sent to `POST /v1/webhooks/NAME`.'),
      secret: secretReference.describe(
        'A reference to what its sender signs with; the door resolves it, and takes nothing that is unsigned.',
      ),
      environment: environmentName
        .optional()
        .describe('Where its tasks run; without it, the only environment of the ability.'),
      if: condition
        .optional()
        .describe('CEL over `webhook.headers` and `webhook.body`; where it is false, the delivery starts nothing.'),
      input: z
        .union([jsonObject, z.string().regex(/^\s*\$\{\{[\s\S]*\}\}\s*$/, INPUT)], INPUT)
        .default({})
        .describe('The input of its tasks, with ${{ }} over `webhook.headers` and `webhook.body`.'),
      key: z
        .string()
        .min(1)
        .optional()
        .describe('The task key, with ${{ }}; without it, the id that the sender gives the delivery.'),
      intent: z
        .string()
        .min(1)
        .max(1000)
        .optional()
        .describe('What its tasks are for, in words; kept in their records.'),
    }),
  )
  .min(1);

/** An entry of `triggers` as loaded. */
export type TriggerDefinition = z.output<typeof triggers>[number];
