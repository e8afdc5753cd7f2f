import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { writeWhole } from '../../disk/write-whole.js';
import { FolderFiles } from './folder-files.js';
import { FolderNames } from './folder-names.js';
import type { KeepOptions, KeptFile, NamedObject, Store, StoredFile } from './store.js';
import { absent, damaged, notKept } from './store-errors.js';
import type { StoreIdentity } from './store-identity.js';

/** A store in a local or shared folder. Values are in `<folder>/<two digits>/<digest>`. */
export class FolderStore implements Store {
  readonly where: string;
  private readonly files: FolderFiles;
  private readonly names: FolderNames;

  /** @param identity of a store that other machines use as well. */
  constructor(
    readonly folder: string,
    readonly isShared = false,
    private readonly identity?: StoreIdentity,
  ) {
    this.where = folder;
    this.files = new FolderFiles(folder);
    this.names = new FolderNames(folder);
  }

  /** As {@link StoreIdentity.check}; does nothing without an identity. */
  check(isWrite = false): void {
    this.identity?.check(isWrite);
  }

  /** Synchronous, so that an encoded value is written before anything else happens. */
  async put(bytes: Uint8Array): Promise<string> {
    this.check(true);
    const digest = digestOf(bytes);
    const path = this.pathOf(digest);
    if (isWhole(path, digest)) return digest;
    try {
      writeWhole(path, bytes);
    } catch (error) {
      throw notKept(`${bytes.length} bytes`, this.folder, error);
    }
    return digest;
  }

  async get(digest: string): Promise<Uint8Array> {
    this.check();
    const bytes = await readFile(this.pathOf(digest)).catch(() => undefined);
    if (bytes && digestOf(bytes) === digest) return bytes;
    throw bytes ? damaged('value', digest, this.folder) : absent('value', digest, this.folder);
  }

  async holds(digest: string): Promise<boolean> {
    const hash = createHash('sha256');
    try {
      this.check();
      for await (const chunk of createReadStream(this.pathOf(digest))) hash.update(chunk as Buffer);
      return hash.digest('hex') === digest;
    } catch {
      return false;
    }
  }

  async keepFile(source: string | Readable, options: KeepOptions): Promise<KeptFile> {
    try {
      this.check(true);
    } catch (error) {
      if (typeof source !== 'string') source.destroy();
      throw error;
    }
    return this.files.keep(source, options);
  }

  async openFile(sha256: string): Promise<Readable> {
    this.check();
    return this.files.open(sha256);
  }

  async sizeOfFile(sha256: string): Promise<number | undefined> {
    this.check();
    return this.files.sizeOf(sha256);
  }

  async removeFile(sha256: string): Promise<void> {
    this.check();
    return this.files.remove(sha256);
  }

  async *listFiles(): AsyncIterable<StoredFile> {
    this.check();
    yield* this.files.list();
  }

  async removeHalfWritten(before: Date): Promise<void> {
    this.check();
    return this.files.removeHalfWritten(before);
  }

  async putNamed(name: string, bytes: Uint8Array): Promise<void> {
    this.check(true);
    return this.names.put(name, bytes);
  }

  async getNamed(name: string): Promise<Uint8Array | undefined> {
    this.check();
    return this.names.get(name);
  }

  async listNamed(prefix: string): Promise<NamedObject[]> {
    this.check();
    return this.names.list(prefix);
  }

  async removeNamed(name: string): Promise<void> {
    this.check();
    return this.names.remove(name);
  }

  private pathOf(digest: string): string {
    return join(this.folder, digest.slice(0, 2), digest);
  }
}

function isWhole(path: string, digest: string): boolean {
  try {
    return digestOf(readFileSync(path)) === digest;
  } catch {
    return false;
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
