import { createHmac } from 'node:crypto';

const FEWEST_BYTES = 24;
const MAX_BYTES = 64;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The form of a Standard Webhooks secret, for messages. */
export const STANDARD_SECRET = `whsec_ and ${FEWEST_BYTES} to ${MAX_BYTES} bytes in base64`;

/** The key of a secret as Standard Webhooks 1.0.0 has it; undefined for a text that is none. @param secret its prefix may be missing. */
export function standardKey(secret: string): Buffer | undefined {
  const text = secret.replace(/^whsec_/, '');
  const key = Buffer.from(text, 'base64');
  return BASE64.test(text) && key.length >= FEWEST_BYTES && key.length <= MAX_BYTES ? key : undefined;
}

/** The signature of a message: an HMAC-SHA256 over id, moment and body, in base64. @param seconds since 1970, in digits. */
export function standardMac(key: Buffer, id: string, seconds: string, body: string | Buffer): string {
  return createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64');
}
