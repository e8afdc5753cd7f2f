import type { Readable } from 'node:stream';
import type { FileValue } from '../../contracts/files.js';

/** Returns the bytes of a file to keep, from their beginning, on every call. */
export type FileSource = () => Promise<Readable>;

export interface FileStore {
  /** @param task its key. @throws AbilityError `file.too_large`, `store.full`, `store.not_shared`. */
  keep(
    source: FileSource,
    task: string,
    maxBytes: number,
    signal?: AbortSignal,
  ): Promise<{ sha256: string; bytes: number }>;
  /**
   * Lets a task hold a file that is kept already. @throws AbilityError `store.not_shared`; `file.not_of_task` for other
   * bytes.
   */
  hold(task: string, file: Pick<FileValue, '$file' | 'name' | 'bytes'>): Promise<void>;
  /**
   * The bytes of a digest; the stream fails before its end where they are others. @throws AbilityError
   * `store.not_shared`.
   */
  open(digest: string): Promise<Readable>;
  /** Releases all files of a task, and removes those that no other task holds. @returns the number of removed files. */
  release(task: string): Promise<number>;
}

/** Makes the folder of a call, which is removed with the call even if the worker is killed. */
export interface CallFolders {
  /** @returns the absolute path of a new folder. */
  open(): Promise<string>;
}
