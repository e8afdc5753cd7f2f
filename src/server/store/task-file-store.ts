import type { Readable } from 'node:stream';
import type { FileValue } from '../../contracts/files.js';
import { AbilityError } from '../../contracts/problem.js';
import { FileHolds } from './file-holds.js';
import type { KeptFile, Store } from './store.js';

/** Retries if a remover that saw no hold removes the file while it is being kept. */
const MAX_TURNS = 5;

/** Opens the file's bytes from the beginning at each call. */
export type Source = () => Promise<Readable>;

export class TaskFileStore {
  readonly holds: FileHolds;

  constructor(
    private readonly store: Store,
    project: string,
  ) {
    this.holds = new FileHolds(store, project);
  }

  /** @throws AbilityError `file.too_large`, `store.full`, `store.not_shared`; the error of the source. */
  async keep(source: Source, task: string, maxBytes: number, signal?: AbortSignal): Promise<KeptFile> {
    for (let turn = 1; ; turn += 1) {
      const kept = await this.store.keepFile(await source(), { maxBytes, signal });
      if ((await this.holds.hold(task, kept.sha256)) !== undefined) return kept;
      if (turn === MAX_TURNS) throw absent(kept.sha256, this.store.where);
    }
  }

  /** Holds a kept file. @throws AbilityError `store.not_shared` if missing; `file.not_of_task`: other size. */
  async hold(task: string, { $file: digest, name, bytes }: Pick<FileValue, '$file' | 'name' | 'bytes'>): Promise<void> {
    const found = await this.holds.hold(task, digest);
    if (found === bytes) return;
    if (found !== undefined) {
      const message = `${name} has ${found} bytes, and the value that names it states ${bytes}`;
      throw new AbilityError({ code: 'file.not_of_task', message });
    }
    await this.holds.letGo(task, digest);
    throw absent(digest, this.store.where);
  }

  /** The bytes, checked while they are read. @throws AbilityError `store.not_shared`. */
  open(digest: string): Promise<Readable> {
    return this.store.openFile(digest);
  }

  /** Releases all files of a task, and removes those that no other task holds. @returns the number of removed files. */
  release(task: string): Promise<number> {
    return this.holds.release(task);
  }
}

function absent(digest: string, where: string): AbilityError {
  return new AbilityError({
    code: 'store.not_shared',
    message: `The file ${digest} is not in ${where}`,
    suggestion:
      'It was removed after `policy.keep_files`, or it lies in another store: point ABILITY_STORE to the one that the workers of the environment share.',
  });
}
