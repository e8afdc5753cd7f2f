import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { decodeTime, ulid } from 'ulid';
import { AbilityError } from '../../contracts/problem.js';
import { unlessAborted } from '../../rules/unless-aborted.js';
import {
  DecryptStream,
  decrypt,
  EncryptStream,
  encrypt,
  fingerprintsOf,
  isEncrypted,
  type PayloadKeys,
  SEALED_BYTES,
  unknownKey,
} from '../payloads/payload-keys.js';
import { Measured } from './checked-stream.js';
import type { KeepOptions, KeptFile, NamedObject, Store, StoredFile } from './store.js';
import { damaged } from './store-errors.js';

const VALUES = 'sealed/values/';
const FILES = 'sealed/files/';
const FORM = /^sealed\/files\/([0-9a-f]{64})\/([0-9A-Z]{26})-([0-9a-f]{16})-([0-9a-f]{64})-(\d+)$/;
const NOTHING = new Uint8Array();
/** Streams are read ahead by so much. */
const BUFFER_BYTES = 1024 * 1024;

/** Where the encrypted form of a file is, as the name of an empty object says: `<sha256>/<ulid>-<key>-<sealed>-<bytes>`. */
interface SealedFile extends KeptFile {
  name: string;
  /** ULID. */
  id: string;
  /** Fingerprint of the key. */
  key: string;
  /** SHA-256 of the encrypted form. */
  sealed: string;
}

/**
 * A store whose contents are encrypted; names, sizes and digests of values and files stay readable. What was kept before it was
 * encrypted is read as it is. Without keys it keeps plainly, and fails with `payload.unknown_key` to read what is encrypted.
 * Source: docs/operations.md#encrypted-payloads.
 */
export class SealedStore implements Store {
  readonly where: string;
  readonly folder: string | null;
  readonly isShared: boolean;

  constructor(
    private readonly inner: Store,
    private readonly keys: PayloadKeys,
  ) {
    this.where = inner.where;
    this.folder = inner.folder;
    this.isShared = inner.isShared;
  }

  check(isWrite?: boolean): void {
    this.inner.check(isWrite);
  }

  async put(bytes: Uint8Array): Promise<string> {
    if (!this.keys) return this.inner.put(bytes);
    const digest = digestOf(bytes);
    await this.putNamed(VALUES + digest, bytes);
    return digest;
  }

  async get(digest: string): Promise<Uint8Array> {
    const isDamaged = (): AbilityError => damaged('value', digest, this.where);
    const sealed = this.keys ? await this.getNamed(VALUES + digest).catch(unlessDamaged(isDamaged)) : undefined;
    if (!sealed) return this.plainOr(this.inner.get(digest), VALUES + digest);
    if (digestOf(sealed) === digest) return sealed;
    throw isDamaged();
  }

  async holds(digest: string): Promise<boolean> {
    if (!this.keys) return this.inner.holds(digest);
    const sealed = await this.getNamed(VALUES + digest).catch(() => undefined);
    return sealed !== undefined && digestOf(sealed) === digest;
  }

  async keepFile(source: string | Readable, options: KeepOptions): Promise<KeptFile> {
    const { keys } = this;
    if (!keys) return this.inner.keepFile(source, options);
    const { maxBytes, signal } = options;
    const measured = new Measured(maxBytes);
    const encrypted = new PassThrough({ highWaterMark: BUFFER_BYTES });
    const from = typeof source === 'string' ? createReadStream(source) : source;
    // From Node 22 on, an aborted pipeline waits until its source has closed, which a stalled one never does.
    const sealing = pipeline(from, measured, new EncryptStream(keys, 'object:file'), encrypted);
    const keeping = this.inner.keepFile(encrypted, { maxBytes: maxBytes + SEALED_BYTES, signal });
    const [read, kept] = await Promise.allSettled([unlessAborted(sealing, signal), keeping]);
    if (read.status === 'rejected' || kept.status === 'rejected') {
      from.destroy();
      if (kept.status === 'fulfilled') await this.inner.removeFile(kept.value.sha256);
      throw read.status === 'rejected' ? firstOf(read.reason, kept) : (kept as PromiseRejectedResult).reason;
    }
    const file = { sha256: measured.sha256(), bytes: measured.bytes };
    await this.take(file, kept.value.sha256);
    return file;
  }

  /** Of several that keep the same file at once, the form with the last name stays: whoever names one later sees the others. */
  private async take({ sha256, bytes }: KeptFile, sealed: string): Promise<void> {
    const [before] = await this.formsOf(sha256);
    // The clock of who kept it before may be ahead.
    const id = ulid(Math.max(Date.now(), before ? decodeTime(before.id) + 1 : 0));
    const [key] = fingerprintsOf(this.keys);
    await this.inner.putNamed(`${FILES}${sha256}/${id}-${key}-${sealed}-${bytes}`, NOTHING);
    const [, ...others] = await this.formsOf(sha256);
    for (const other of others) await this.removeForm(other);
  }

  private async removeForm({ name, sealed }: SealedFile): Promise<void> {
    await this.inner.removeFile(sealed);
    await this.inner.removeNamed(name);
  }

  async openFile(sha256: string): Promise<Readable> {
    const [found] = this.keys ? await this.formsOf(sha256) : [];
    if (!found) return this.openPlain(sha256);
    if (!fingerprintsOf(this.keys).includes(found.key)) throw unknownKey(this.keys);
    const opened = await this.inner.openFile(found.sealed).catch(async (error: unknown) => {
      // Kept anew meanwhile.
      const [now] = await this.formsOf(sha256);
      if (!now || now.sealed === found.sealed) throw error;
      return this.inner.openFile(now.sealed);
    });
    const plain = new DecryptStream(this.keys, 'object:file');
    pipeline(opened, plain).catch((error: Error) => plain.destroy(error));
    return plain;
  }

  private openPlain(sha256: string): Promise<Readable> {
    return this.inner.openFile(sha256).catch(async (error: unknown) => {
      const [found] = await this.formsOf(sha256);
      throw found ? unknownKey(this.keys) : error;
    });
  }

  async sizeOfFile(sha256: string): Promise<number | undefined> {
    const plain = this.keys ? undefined : await this.inner.sizeOfFile(sha256);
    const [found] = plain === undefined ? await this.formsOf(sha256) : [];
    if (!found) return plain ?? this.inner.sizeOfFile(sha256);
    return (await this.inner.sizeOfFile(found.sealed)) === undefined ? undefined : found.bytes;
  }

  async removeFile(sha256: string): Promise<void> {
    for (const form of await this.formsOf(sha256)) await this.removeForm(form);
    await this.inner.removeFile(sha256);
  }

  async *listFiles(): AsyncIterable<StoredFile> {
    const forms = new Map((await this.forms(FILES)).map(({ sealed, sha256, bytes }) => [sealed, { sha256, bytes }]));
    for await (const file of this.inner.listFiles()) yield { ...file, ...forms.get(file.sha256) };
  }

  removeHalfWritten(before: Date): Promise<void> {
    return this.inner.removeHalfWritten(before);
  }

  async putNamed(name: string, bytes: Uint8Array): Promise<void> {
    await this.inner.putNamed(name, this.keys ? encrypt(bytes, this.keys, `object:${name}`) : bytes);
  }

  createNamed(name: string, bytes: Uint8Array): Promise<boolean> {
    return this.inner.createNamed(name, this.keys ? encrypt(bytes, this.keys, `object:${name}`) : bytes);
  }

  async getNamed(name: string): Promise<Uint8Array | undefined> {
    const bytes = await this.inner.getNamed(name);
    return bytes && isEncrypted(bytes) ? decrypt(bytes, this.keys, `object:${name}`) : bytes;
  }

  async listNamed(prefix: string): Promise<NamedObject[]> {
    const listed = await this.inner.listNamed(prefix);
    if (!this.keys) return listed;
    return listed.map((object) => ({ ...object, bytes: Math.max(0, object.bytes - SEALED_BYTES) }));
  }

  removeNamed(name: string): Promise<void> {
    return this.inner.removeNamed(name);
  }

  /** What was kept plainly; if it is missing because it is encrypted, the error says so. */
  private plainOr<T>(reading: Promise<T>, name: string): Promise<T> {
    return reading.catch(async (error: unknown) => {
      await this.getNamed(name);
      throw error;
    });
  }

  /** The last one first. */
  private async formsOf(sha256: string): Promise<SealedFile[]> {
    return (await this.forms(`${FILES}${sha256}/`)).reverse();
  }

  private async forms(prefix: string): Promise<SealedFile[]> {
    return (await this.inner.listNamed(prefix)).flatMap(({ name }) => {
      const [, sha256, id, key, sealed, bytes] = FORM.exec(name) ?? [];
      return sha256 && id && key && sealed ? [{ name, sha256, id, key, sealed, bytes: Number(bytes) }] : [];
    });
  }
}

function unlessDamaged(otherwise: () => AbilityError): (error: unknown) => never {
  return (error) => {
    throw error instanceof AbilityError && error.code === 'payload.damaged' ? otherwise() : error;
  };
}

/** The error of the source, unless the store's own comes first and ends the stream. */
function firstOf(read: unknown, kept: PromiseSettledResult<unknown>): unknown {
  const isEarlyEnd = (read as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
  return isEarlyEnd && kept.status === 'rejected' ? kept.reason : read;
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
