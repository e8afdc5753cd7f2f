import type { Readable } from 'node:stream';
import { FolderFiles } from './folder-files.js';
import { FolderNames } from './folder-names.js';
import { FolderValues } from './folder-values.js';
import type { KeepOptions, KeptFile, NamedObject, Store, StoredFile } from './store.js';
import type { StoreIdentity } from './store-identity.js';

/** A store in a folder: of this machine, or of a file system that several mount. */
export class FolderStore implements Store {
  readonly where: string;
  private readonly values: FolderValues;
  private readonly files: FolderFiles;
  private readonly names: FolderNames;

  /** @param identity of a store that other machines use as well. */
  constructor(
    readonly folder: string,
    readonly isShared = false,
    private readonly identity?: StoreIdentity,
  ) {
    this.where = folder;
    this.values = new FolderValues(folder);
    this.files = new FolderFiles(folder);
    this.names = new FolderNames(folder);
  }

  /**
   * Looks whether it is the store that this project used before; before a write, a new one is given its id.
   *
   * @throws AbilityError `store.not_shared` where it is not; `store.full` where it cannot be given one.
   */
  check(isWrite = false): void {
    this.identity?.check(isWrite);
  }

  /** Writes at once: a value that was just encoded is written before anything else happens. */
  async put(bytes: Uint8Array): Promise<string> {
    this.check(true);
    return this.values.put(bytes);
  }

  async get(digest: string): Promise<Uint8Array> {
    this.check();
    return this.values.get(digest);
  }

  async holds(digest: string): Promise<boolean> {
    try {
      this.check();
    } catch {
      return false;
    }
    return this.values.holds(digest);
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
}
