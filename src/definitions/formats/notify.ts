import { z } from 'zod';
import { NOTICE_EVENTS, NOTICE_FORMATS } from '../../contracts/notices.js';
import { environmentName, secretReference } from './values.js';

/** Webhooks that get notices of approvals and failures. */
export const notify = z
  .strictObject({
    on: z.array(z.enum(NOTICE_EVENTS)).min(1).describe('The events it gets.'),
    webhook: secretReference.describe('Where to: a reference to its address.'),
    secret: secretReference
      .optional()
      .describe('A reference to the secret that signs, whsec_ and base64; only `format: slack` may do without.'),
    format: z.enum(NOTICE_FORMATS).default('json').describe('In which form.'),
    environments: z.array(environmentName).min(1).optional().describe('Of tasks in these; without it, in all.'),
  })
  .refine(({ format, secret }) => format === 'slack' || secret !== undefined, {
    error: 'A notice is signed: write `secret`, a reference to what signs it',
    path: ['secret'],
  });
