import { createHmac } from 'node:crypto';

const FEWEST_BYTES = 24;
const MAX_BYTES = 64;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

export const STANDARD_SECRET = `whsec_ and ${FEWEST_BYTES} to ${MAX_BYTES} bytes in base64`;

/** The key by Standard Webhooks 1.0.0; undefined for an invalid one. @param secret with or without `whsec_`. */
export function standardKey(secret: string): Buffer | undefined {
  const text = secret.replace(/^whsec_/, '');
  const key = Buffer.from(text, 'base64');
  return BASE64.test(text) && key.length >= FEWEST_BYTES && key.length <= MAX_BYTES ? key : undefined;
}

/** HMAC-SHA256 over id, time and body, in base64. @param seconds since 1970, as digits. */
export function standardMac(key: Buffer, id: string, seconds: string, body: string | Buffer): string {
  return createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64');
}
