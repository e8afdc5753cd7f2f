import type { Readable } from 'node:stream';
import { FolderFiles } from './folder-files.js';
import { FolderNames } from './folder-names.js';
import { FolderValues } from './folder-values.js';
import type { KeepOptions, KeptFile, NamedObject, Store, StoredFile } from './store.js';

/** A store in a folder: of this machine, or of a file system that several mount. */
export class FolderStore implements Store {
  readonly where: string;
  private readonly values: FolderValues;
  private readonly files: FolderFiles;
  private readonly names: FolderNames;

  constructor(
    readonly folder: string,
    readonly isShared = false,
  ) {
    this.where = folder;
    this.values = new FolderValues(folder);
    this.files = new FolderFiles(folder);
    this.names = new FolderNames(folder);
  }

  /** Writes at once: a value that was just encoded is written before anything else happens. */
  async put(bytes: Uint8Array): Promise<string> {
    return this.values.put(bytes);
  }

  get(digest: string): Promise<Uint8Array> {
    return this.values.get(digest);
  }

  holds(digest: string): Promise<boolean> {
    return this.values.holds(digest);
  }

  keepFile(source: string | Readable, options: KeepOptions): Promise<KeptFile> {
    return this.files.keep(source, options);
  }

  openFile(sha256: string): Promise<Readable> {
    return this.files.open(sha256);
  }

  sizeOfFile(sha256: string): Promise<number | undefined> {
    return this.files.sizeOf(sha256);
  }

  removeFile(sha256: string): Promise<void> {
    return this.files.remove(sha256);
  }

  listFiles(): AsyncIterable<StoredFile> {
    return this.files.list();
  }

  removeHalfWritten(before: Date): Promise<void> {
    return this.files.removeHalfWritten(before);
  }

  putNamed(name: string, bytes: Uint8Array): Promise<void> {
    return this.names.put(name, bytes);
  }

  getNamed(name: string): Promise<Uint8Array | undefined> {
    return this.names.get(name);
  }

  listNamed(prefix: string): Promise<NamedObject[]> {
    return this.names.list(prefix);
  }

  removeNamed(name: string): Promise<void> {
    return this.names.remove(name);
  }
}
