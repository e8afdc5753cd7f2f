import { USER_KEY } from '../../contracts/names.js';
import { digestOf } from '../canonical.js';

/** Names of webhooks: the last part of an address, and a part of keys. */
export const WEBHOOK_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

const DIGITS = 20;

/** For a trigger without a key: the delivery's id, or its digest if that is no valid key. */
export function deliveryKey(delivery: string): string {
  return USER_KEY.test(delivery) ? delivery : digestOf(delivery).slice(0, DIGITS);
}
