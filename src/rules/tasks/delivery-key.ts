import { USER_KEY } from '../../contracts/names.js';
import { digestOf } from '../canonical.js';

/** Names of webhooks: the last part of an address, and a part of keys. */
export const WEBHOOK_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

/** So much of a digest is in a key. */
const DIGITS = 20;

/**
 * The key of the task that a delivery starts if its trigger states none: the sender's id of the delivery, or, if that
 * is not a valid task key, the name of the webhook and a digest of it. Equal ids give equal keys.
 */
export function deliveryKey(webhook: string, delivery: string): string {
  return USER_KEY.test(delivery) ? delivery : `${webhook}-${digestOf([webhook, delivery]).slice(0, DIGITS)}`;
}
