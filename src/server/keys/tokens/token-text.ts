import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const FORM = /^abt_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;
const ID_BYTES = 8;
const SECRET_BYTES = 32;

/** The bearer's form: `abt_<id>_<secret>`, with a secret of 256 random bits. */
export interface TokenText {
  id: string;
  secret: string;
}

export function makeTokenText(): TokenText {
  return { id: randomBytes(ID_BYTES).toString('hex'), secret: randomBytes(SECRET_BYTES).toString('base64url') };
}

export function tokenText({ id, secret }: TokenText): string {
  return `abt_${id}_${secret}`;
}

export function readTokenText(text: string): TokenText | undefined {
  const [, id, secret] = FORM.exec(text) ?? [];
  return id !== undefined && secret !== undefined ? { id, secret } : undefined;
}

/** Whether a text can be the id of a token, and so the name of its file. */
export function isTokenId(id: string): boolean {
  return /^[0-9a-f]{16}$/.test(id);
}

/** The stored form of a secret: SHA-256 as 64 hex digits. The secret is random, so no slow hash is needed. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Compares in constant time. */
export function isSameHash(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one, 'hex'), Buffer.from(other, 'hex')];
  return left.length === right.length && left.length > 0 && timingSafeEqual(left, right);
}
