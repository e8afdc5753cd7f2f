import type { Readable } from 'node:stream';

/** A large object that was kept. */
export interface KeptFile {
  /** SHA-256 of its bytes, in hexadecimal digits: its name in the store. */
  sha256: string;
  bytes: number;
}

/** A large object as the store lists it. */
export interface StoredFile extends KeptFile {
  /** When it was kept last; a store may leave an earlier moment of the 24 hours before that. */
  keptAt: Date;
}

/** Options for keeping a large object. */
export interface KeepOptions {
  /** More bytes than this are refused with `file.too_large`, and nothing is left of them. */
  maxBytes: number;
  /** Ends the taking in, with its reason; nothing is left of it. */
  signal?: AbortSignal | undefined;
}

/** A small object as the store lists it. */
export interface NamedObject {
  name: string;
  bytes: number;
  modified: Date;
}

/**
 * The shared storage of an environment's workers and their callers: a folder, or a place in an object store.
 *
 * Three separate kinds of objects: values by their digest (`put`, `get`, `holds`), files by their digest, which are
 * read and written as streams and may be removed again (`*File`), and small objects by name (`*Named`).
 *
 * Every method may throw AbilityError `store.full` if something cannot be kept, and `store.not_shared` if the store
 * cannot be reached or a requested digest is missing or damaged.
 */
export interface Store {
  /** Where it is, as it is shown to people: a folder, or `s3://bucket/prefix`. */
  readonly where: string;
  /**
   * Whether others read it: an explicit store (`ABILITY_STORE`) is shared, that of the project's own runtime is not.
   */
  readonly isShared: boolean;

  /** Keeps a value and returns its SHA-256; a damaged copy is rewritten. */
  put(bytes: Uint8Array): Promise<string>;
  /** The value of a digest, checked. */
  get(digest: string): Promise<Uint8Array>;
  /** Whether the value of a digest exists undamaged. Never throws: an unreadable value counts as missing. */
  holds(digest: string): Promise<boolean>;

  /**
   * Keeps a file atomically. An existing file counts as kept now.
   *
   * @param source absolute path, or its bytes. @throws AbilityError `file.too_large`; the error of a source that cannot
   * be read.
   */
  keepFile(source: string | Readable, options: KeepOptions): Promise<KeptFile>;
  /**
   * The bytes of a file, verified while they are read: the stream of a damaged file fails with `store.not_shared`
   * before its end, so only a stream read to the end is the file.
   */
  openFile(sha256: string): Promise<Readable>;
  /**
   * The size of a file in bytes; undefined if it does not exist. @throws AbilityError `store.not_shared` if that cannot
   * be determined.
   */
  sizeOfFile(sha256: string): Promise<number | undefined>;
  /** Removes a file; that it is gone already is fine. */
  removeFile(sha256: string): Promise<void>;
  /** All files that are kept, in no order. */
  listFiles(): AsyncIterable<StoredFile>;
  /** Removes incomplete files of killed processes that have not grown since a given time. */
  removeHalfWritten(before: Date): Promise<void>;

  /** Puts a small object under a name such as `tasks/<key>/record.json`, whole, in place of an earlier one. */
  putNamed(name: string, bytes: Uint8Array): Promise<void>;
  /** The object of a name; undefined if it does not exist. */
  getNamed(name: string): Promise<Uint8Array | undefined>;
  /** The objects below a name that ends with `/`, sorted by name. */
  listNamed(prefix: string): Promise<NamedObject[]>;
  /** Removes the object of a name, or all below one that ends with `/`; that they are gone already is fine. */
  removeNamed(name: string): Promise<void>;
}
