import type { JsonObject } from '../../contracts/json.js';

/** Names under which people mean the environment that counts. */
const PRODUCTION = /^(prod|production|live)$/;

/** Names under which people mean the one before it. */
const STAGING = /^(stag|stage|staging|preprod|uat)$/;

/** Environments with those first in which least is at stake, so that the first one can be the default. */
export function inUsualOrder(names: readonly string[]): string[] {
  const rankOf = (name: string): number => {
    if (PRODUCTION.test(name)) return 3;
    if (STAGING.test(name)) return 2;
    return name === 'dev' ? 0 : 1;
  };
  return [...names].sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
}

/** Whether an environment is one that counts, by its name. */
export function isGrave(name: string): boolean {
  return PRODUCTION.test(name) || STAGING.test(name);
}

/** What a new environment says, by its name: the more counts there, the more is asked about. */
export function environmentOf(name: string): { value: JsonObject; remark: string } {
  if (PRODUCTION.test(name)) {
    return {
      value: { protected: true, approve: ['write_idempotent', 'write_additive', 'destructive'] },
      remark: 'every change is asked about, and people cannot approve their own; add `approvers`',
    };
  }
  if (STAGING.test(name)) return { value: { approve: ['destructive'] }, remark: 'what destroys is asked about' };
  return { value: {}, remark: 'no approval is asked for' };
}
