import type { Readable } from 'node:stream';

export interface KeptFile {
  /** In hexadecimal digits; the object's name in the store. */
  sha256: string;
  bytes: number;
}

export interface StoredFile extends KeptFile {
  /** When it was last kept; a store may report a time up to 24 hours earlier. */
  keptAt: Date;
}

export interface KeepOptions {
  /** A larger object fails with `file.too_large` and leaves nothing behind. */
  maxBytes: number;
  /** Cancels the upload with its reason; leaves nothing behind. */
  signal?: AbortSignal | undefined;
}

export interface NamedObject {
  name: string;
  bytes: number;
  modified: Date;
}

/**
 * The shared storage of an environment's workers and their callers: a folder, or a place in an object store. Keeps
 * values by digest (`put`, `get`, `holds`), files by digest, which are streamed and may be removed (`*File`), and
 * small objects by name (`*Named`), all separately. Every method may throw AbilityError `store.full` if something
 * cannot be kept, `store.not_shared` if the store cannot be reached or a requested digest is missing or damaged.
 */
export interface Store {
  /** For people: a folder, or `s3://bucket/prefix`. */
  readonly where: string;
  /** The folder that it is in; null: it is in none. */
  readonly folder: string | null;
  /** Whether others read it: true for `ABILITY_STORE`, false for the store of the project's own runtime. */
  readonly isShared: boolean;

  /** @throws AbilityError `store.not_shared` if a shared folder is not the one that it was: the place is not mounted. */
  check(isWrite?: boolean): void;

  /** Keeps a value and returns its SHA-256; a damaged copy is rewritten. */
  put(bytes: Uint8Array): Promise<string>;
  /** The value of a digest, checked. */
  get(digest: string): Promise<Uint8Array>;
  /** Whether the value of a digest exists undamaged. Never throws: an unreadable value counts as missing. */
  holds(digest: string): Promise<boolean>;

  /**
   * Keeps a file atomically; an existing one counts as kept now. @param source absolute path, or its bytes. @throws
   * AbilityError `file.too_large`; the error of a source that cannot be read.
   */
  keepFile(source: string | Readable, options: KeepOptions): Promise<KeptFile>;
  /** Bytes, verified while read: the stream of a damaged file fails with `store.not_shared` before its end. */
  openFile(sha256: string): Promise<Readable>;
  /** In bytes; undefined if it does not exist. @throws AbilityError `store.not_shared` if that is unknown. */
  sizeOfFile(sha256: string): Promise<number | undefined>;
  /** Removes a file; does nothing if it is missing. */
  removeFile(sha256: string): Promise<void>;
  /** All kept files, in any order. */
  listFiles(): AsyncIterable<StoredFile>;
  /** Removes incomplete files of killed processes that have not grown since a given time. */
  removeHalfWritten(before: Date): Promise<void>;

  /** Atomically writes or replaces a small object under a name such as `tasks/<key>/record.json`. */
  putNamed(name: string, bytes: Uint8Array): Promise<void>;
  /** Writes a small object whole and durably if there is none of that name. @returns false if there is, maybe by this very call. */
  createNamed(name: string, bytes: Uint8Array): Promise<boolean>;
  getNamed(name: string): Promise<Uint8Array | undefined>;
  /** The objects below a name that ends with `/`, sorted by name. */
  listNamed(prefix: string): Promise<NamedObject[]>;
  /** Removes the named object, or all below a name that ends with `/`; missing ones are fine. */
  removeNamed(name: string): Promise<void>;
}
