import type { JsonObject } from '../../contracts/json.js';

/** Names under which people mean the environment that counts. */
const PRODUCTION = /^(prod|production|live)$/;

/** Names under which people mean the one before it. */
const STAGING = /^(stag|stage|staging|preprod|uat)$/;

/** What a new environment says, by its name: the more counts there, the more is asked about. */
export function environmentOf(name: string): { value: JsonObject; remark: string } {
  if (PRODUCTION.test(name)) {
    return {
      value: { protected: true, approve: ['write_idempotent', 'write_additive', 'destructive'] },
      remark: 'every change is asked about, and nobody approves their own; add `approvers`',
    };
  }
  if (STAGING.test(name)) return { value: { approve: ['destructive'] }, remark: 'what destroys is asked about' };
  return { value: {}, remark: 'nobody else is asked' };
}
