import { createHmac } from 'node:crypto';
import { AbilityError } from '../../contracts/problem.js';

const FEWEST_BYTES = 24;
const MOST_BYTES = 64;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

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
  const mac = createHmac('sha256', keyOf(secret)).update(`${id}.${seconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${mac}` };
}

function keyOf(secret: string): Buffer {
  const text = secret.replace(/^whsec_/, '');
  const key = Buffer.from(text, 'base64');
  if (BASE64.test(text) && key.length >= FEWEST_BYTES && key.length <= MOST_BYTES) return key;
  throw new AbilityError({
    code: 'config.invalid',
    message: `The secret of a notice is no key of Standard Webhooks: whsec_ and ${FEWEST_BYTES} to ${MOST_BYTES} bytes in base64`,
    suggestion: 'Make one: echo "whsec_$(openssl rand -base64 32)".',
  });
}
