import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AbilityError } from '../../contracts/problem.js';
import {
  DecryptStream,
  decrypt,
  EncryptStream,
  encrypt,
  isEncrypted,
  type PayloadKeys,
  SEALED_BYTES,
} from '../payloads/payload-keys.js';
import { Measured } from './checked-stream.js';
import type { KeepOptions, KeptFile, NamedObject, Store, StoredFile } from './store.js';

const VALUES = 'sealed/values/';
const FILES = 'sealed/files/';
/** Streams are read ahead by so much. */
const BUFFER_BYTES = 1024 * 1024;

/** Where the encrypted form of a file is. */
interface SealedFile {
  /** SHA-256 of the encrypted form. */
  sealed: string;
  bytes: number;
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
    const sealed = this.keys ? await this.getNamed(VALUES + digest) : undefined;
    if (!sealed) return this.plainOr(this.inner.get(digest), VALUES + digest);
    if (digestOf(sealed) === digest) return sealed;
    throw new AbilityError({ code: 'store.not_shared', message: `The value ${digest} of ${this.where} is damaged` });
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
    const flow = pipeline(from, measured, new EncryptStream(keys, 'object:file'), encrypted);
    // The first error is that of the source; the store sees only that its stream ended early.
    const keeping = this.inner.keepFile(encrypted, { maxBytes: maxBytes + SEALED_BYTES, signal });
    const [read, kept] = await Promise.allSettled([flow, keeping]);
    if (read.status === 'rejected' && kept.status === 'fulfilled') await this.inner.removeFile(kept.value.sha256);
    if (kept.status === 'rejected' && read.status === 'fulfilled') throw kept.reason;
    if (read.status === 'rejected') throw firstOf(read.reason, kept);
    const file = { sha256: measured.sha256(), bytes: measured.bytes };
    const before = await this.find(file.sha256);
    const sealed = (kept as PromiseFulfilledResult<KeptFile>).value.sha256;
    await this.putNamed(FILES + file.sha256, json({ sealed, bytes: file.bytes } satisfies SealedFile));
    if (before) await this.inner.removeFile(before.sealed);
    return file;
  }

  async openFile(sha256: string): Promise<Readable> {
    const found = this.keys ? await this.find(sha256) : undefined;
    if (!found) return this.plainOr(this.inner.openFile(sha256), FILES + sha256);
    const opened = await this.inner.openFile(found.sealed).catch(async (error: unknown) => {
      // Kept anew meanwhile.
      const now = await this.find(sha256);
      if (!now || now.sealed === found.sealed) throw error;
      return this.inner.openFile(now.sealed);
    });
    const plain = new DecryptStream(this.keys, 'object:file');
    pipeline(opened, plain).catch((error: Error) => plain.destroy(error));
    return plain;
  }

  async sizeOfFile(sha256: string): Promise<number | undefined> {
    const plain = this.keys ? undefined : await this.inner.sizeOfFile(sha256);
    const found = plain === undefined ? await this.find(sha256) : undefined;
    if (!found) return plain ?? this.inner.sizeOfFile(sha256);
    const sealed = await this.inner.sizeOfFile(found.sealed);
    return sealed === undefined ? undefined : found.bytes;
  }

  async removeFile(sha256: string): Promise<void> {
    const found = await this.find(sha256);
    if (found) await this.inner.removeFile(found.sealed);
    await this.inner.removeNamed(FILES + sha256);
    await this.inner.removeFile(sha256);
  }

  async *listFiles(): AsyncIterable<StoredFile> {
    const plain = new Map<string, string>();
    for (const { name } of await this.inner.listNamed(FILES)) {
      const sha256 = name.slice(FILES.length);
      const found = await this.find(sha256);
      if (found) plain.set(found.sealed, sha256);
    }
    for await (const file of this.inner.listFiles()) yield { ...file, sha256: plain.get(file.sha256) ?? file.sha256 };
  }

  removeHalfWritten(before: Date): Promise<void> {
    return this.inner.removeHalfWritten(before);
  }

  async putNamed(name: string, bytes: Uint8Array): Promise<void> {
    await this.inner.putNamed(name, this.keys ? encrypt(bytes, this.keys, `object:${name}`) : bytes);
  }

  async getNamed(name: string): Promise<Uint8Array | undefined> {
    const bytes = await this.inner.getNamed(name);
    return bytes && isEncrypted(bytes) ? decrypt(bytes, this.keys, `object:${name}`) : bytes;
  }

  listNamed(prefix: string): Promise<NamedObject[]> {
    return this.inner.listNamed(prefix);
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

  private async find(sha256: string): Promise<SealedFile | undefined> {
    const bytes = await this.getNamed(FILES + sha256);
    return bytes && (JSON.parse(Buffer.from(bytes).toString('utf8')) as SealedFile);
  }
}

/** The error of the source, unless the store's own comes first and ends the stream. */
function firstOf(read: unknown, kept: PromiseSettledResult<unknown>): unknown {
  const isEarlyEnd = (read as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
  return isEarlyEnd && kept.status === 'rejected' ? kept.reason : read;
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function json(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
