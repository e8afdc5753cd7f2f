import { AbilityError } from '../../contracts/problem.js';
import { STANDARD_SECRET, standardKey, standardMac } from '../../planning/triggers/standard-webhooks.js';

/**
 * The headers of a webhook by Standard Webhooks 1.0.0: id, time, and an HMAC over both and the body.
 * @param event its id, the same in each attempt; `~` replaces its full stops. @param at milliseconds since 1970,
 * of this attempt. @param secret `whsec_` and 24 to 64 bytes in base64; the prefix is optional.
 * @throws AbilityError `config.invalid`, without repeating the secret.
 */
export function signNotice(secret: string, event: string, at: number, body: string): Record<string, string> {
  const seconds = String(Math.floor(at / 1000));
  // Full stops separate the signed parts, so an id with one could be read as another message.
  const id = event.replaceAll('.', '~');
  const mac = standardMac(keyOf(secret), id, seconds, body);
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${mac}` };
}

function keyOf(secret: string): Buffer {
  const key = standardKey(secret);
  if (key) return key;
  throw new AbilityError({
    code: 'config.invalid',
    message: `The secret of a notice is no key of Standard Webhooks: ${STANDARD_SECRET}`,
    suggestion: 'Make one: echo "whsec_$(openssl rand -base64 32)".',
  });
}
