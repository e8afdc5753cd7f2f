import type { Readable } from 'node:stream';
import type { FileValue } from '../../contracts/files.js';

/** Makes the bytes of a file to keep, from their beginning, each time that it is called. */
export type FileSource = () => Promise<Readable>;

/** Where the files of tasks lie, as far as activities need it. */
export interface FileStore {
  /**
   * Keeps a file for a task, which then owns it.
   *
   * @param task its key. @throws AbilityError `file.too_large` above the given number of bytes; `store.full`,
   * `store.not_shared`.
   */
  keep(
    source: FileSource,
    task: string,
    maxBytes: number,
    signal?: AbortSignal,
  ): Promise<{ sha256: string; bytes: number }>;
  /** Lets a task hold a file that is kept already. @throws AbilityError `store.not_shared`; `file.not_of_task` for other bytes. */
  hold(task: string, file: Pick<FileValue, '$file' | 'name' | 'bytes'>): Promise<void>;
  /** The bytes of a digest; the stream fails before its end where they are others. @throws AbilityError `store.not_shared`. */
  open(digest: string): Promise<Readable>;
  /** Releases all files of a task, and removes those that no other task holds. @returns the number of removed files. */
  release(task: string): Promise<number>;
}

/** Makes the folder of a call, which goes with it, also where the worker is killed. */
export interface CallFolders {
  /** @returns an absolute path of its own. */
  open(): Promise<string>;
}
