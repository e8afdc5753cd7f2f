import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { AbilityError } from '../../contracts/problem.js';
import { PAYLOAD_KEYS, readKeys } from '../keys/key-list.js';

/**
 * Keys that encrypt what reaches Temporal and the store: the first encrypts, all decrypt. Null: nothing is encrypted, and what
 * is cannot be read. Source: docs/operations.md#encrypted-payloads.
 */
export type PayloadKeys = ReadonlyMap<string, Uint8Array> | null;

const ALGORITHM = 'aes-256-gcm';
const MAGIC = Buffer.from('ABE1');
const FINGERPRINT_BYTES = 8;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = MAGIC.length + FINGERPRINT_BYTES + NONCE_BYTES;

/** How many bytes encryption adds. */
export const SEALED_BYTES = HEAD_BYTES + TAG_BYTES;

/** @throws AbilityError `payload.no_key` for a variable that is set to anything but keys. */
export function payloadKeysOf({ ABILITY_PAYLOAD_KEYS: text }: NodeJS.ProcessEnv): PayloadKeys {
  return text ? readKeys(text, PAYLOAD_KEYS) : null;
}

/** What the bytes are for: those of one purpose cannot be taken for those of another. */
export type Purpose = 'payload' | `object:${string}`;

interface Prepared {
  fingerprint: Buffer;
  key: Buffer;
}

const prepared = new Map<string, Prepared>();

/** The derived key, and by what those who decrypt find it. */
function prepare(secret: Uint8Array): Prepared {
  const text = Buffer.from(secret).toString('base64');
  const known = prepared.get(text);
  if (known) return known;
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'ability-runtime encryption 1', 32));
  const fingerprint = createHash('sha256').update(key).digest().subarray(0, FINGERPRINT_BYTES);
  const made = { key, fingerprint };
  prepared.set(text, made);
  return made;
}

/** By what those who decrypt find the keys, in order, 16 hex digits each: the first encrypts. */
export function fingerprintsOf(keys: PayloadKeys): string[] {
  return [...(keys?.values() ?? [])].map((secret) => prepare(secret).fingerprint.toString('hex'));
}

/** Whether bytes begin as {@link encrypt} writes them. */
export function isEncrypted(bytes: Uint8Array): boolean {
  return bytes.length >= SEALED_BYTES && isMarked(bytes);
}

function isMarked(bytes: Uint8Array): boolean {
  return MAGIC.equals(bytes.subarray(0, MAGIC.length));
}

/** AES-256-GCM with the first key: magic, fingerprint of the key, nonce, ciphertext, tag. */
export function encrypt(bytes: Uint8Array, keys: ReadonlyMap<string, Uint8Array>, purpose: Purpose): Buffer {
  const { head, cipher } = open(keys, purpose);
  return Buffer.concat([head, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** @throws AbilityError `payload.unknown_key`, `payload.damaged`. */
export function decrypt(bytes: Uint8Array, keys: PayloadKeys, purpose: Purpose): Buffer {
  const { nonce, key } = readHead(bytes, keys);
  try {
    const decipher = createDecipheriv(ALGORITHM, key, nonce);
    decipher.setAAD(Buffer.from(purpose));
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
    const body = bytes.subarray(HEAD_BYTES, bytes.length - TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch (error) {
    throw new AbilityError(
      { code: 'payload.damaged', message: 'An encrypted value was changed or damaged after it was written' },
      { cause: error },
    );
  }
}

function open(keys: ReadonlyMap<string, Uint8Array>, purpose: Purpose) {
  const [first] = keys.values();
  const { key, fingerprint } = prepare(first as Uint8Array);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  cipher.setAAD(Buffer.from(purpose));
  return { head: Buffer.concat([MAGIC, fingerprint, nonce]), cipher };
}

function readHead(bytes: Uint8Array, keys: PayloadKeys): { nonce: Uint8Array; key: Buffer } {
  const wanted = bytes.subarray(MAGIC.length, MAGIC.length + FINGERPRINT_BYTES);
  const found = [...(keys?.values() ?? [])].map(prepare).find(({ fingerprint }) => fingerprint.equals(wanted));
  if (!found) throw unknownKey(keys);
  return { nonce: bytes.subarray(MAGIC.length + FINGERPRINT_BYTES, HEAD_BYTES), key: found.key };
}

/** The error of a value that cannot be read with these keys. */
export function unknownKey(keys: PayloadKeys): AbilityError {
  return new AbilityError({
    code: 'payload.unknown_key',
    message: keys
      ? 'A value is encrypted with a key that is not among ABILITY_PAYLOAD_KEYS here'
      : 'A value is encrypted, and ABILITY_PAYLOAD_KEYS is not set here',
    suggestion: 'Set ABILITY_PAYLOAD_KEYS as for the worker that wrote it; nothing is lost meanwhile.',
  });
}

/** Encrypts a stream. */
export class EncryptStream extends Transform {
  private readonly opened: ReturnType<typeof open>;

  constructor(keys: ReadonlyMap<string, Uint8Array>, purpose: Purpose) {
    super();
    this.opened = open(keys, purpose);
    this.push(this.opened.head);
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    done(null, this.opened.cipher.update(chunk));
  }

  override _flush(done: TransformCallback): void {
    const { cipher } = this.opened;
    this.push(cipher.final());
    done(null, cipher.getAuthTag());
  }
}

/** Decrypts what {@link EncryptStream} wrote; fails before its end if the bytes were changed. */
export class DecryptStream extends Transform {
  private held: Buffer = Buffer.alloc(0);
  private decipher: ReturnType<typeof createDecipheriv> | undefined;

  constructor(
    private readonly keys: PayloadKeys,
    private readonly purpose: Purpose,
  ) {
    super();
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.held = Buffer.concat([this.held, chunk]);
    try {
      if (!this.decipher && this.held.length >= HEAD_BYTES) {
        // Nothing that was written here: its end says so, or the digest that its source checks.
        if (!isMarked(this.held)) {
          this.held = this.held.subarray(0, MAGIC.length);
          done();
          return;
        }
        const { nonce, key } = readHead(this.held, this.keys);
        this.decipher = createDecipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(this.purpose));
        this.held = this.held.subarray(HEAD_BYTES);
      }
      if (this.decipher && this.held.length > TAG_BYTES) {
        const ready = this.held.subarray(0, -TAG_BYTES);
        this.held = this.held.subarray(-TAG_BYTES);
        this.push(this.decipher.update(ready));
      }
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    try {
      const decipher = this.decipher as NonNullable<typeof this.decipher> & { setAuthTag(tag: Uint8Array): void };
      decipher.setAuthTag(this.held);
      done(null, decipher.final());
    } catch (error) {
      const message = 'An encrypted file was changed or damaged after it was written';
      done(new AbilityError({ code: 'payload.damaged', message }, { cause: error }));
    }
  }
}
