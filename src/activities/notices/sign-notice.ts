import { AbilityError } from '../../contracts/problem.js';
import { STANDARD_SECRET, standardKey, standardMac } from '../../planning/triggers/standard-webhooks.js';

/**
 * The headers of a webhook as Standard Webhooks 1.0.0 has them: id, moment, and an HMAC over both and the body.
 *
 * @param event its id, which is the same in each attempt; in the header `~` stands for its full stops.
 * @param secret `whsec_` and 24 to 64 bytes in base64; the prefix may be missing.
 * @param at milliseconds since 1970, of this attempt.
 * @throws AbilityError `config.invalid` for another secret, which is not repeated.
 */
export function signNotice(secret: string, event: string, at: number, body: string): Record<string, string> {
  const seconds = String(Math.floor(at / 1000));
  // What is signed is divided by full stops, so that an id with one could be read as another message.
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
