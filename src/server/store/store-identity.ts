import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AbilityError } from '../../contracts/problem.js';
import { readJson } from '../../disk/read-json.js';
import { writeWhole } from '../../disk/write-files.js';
import { attempt } from '../../text/attempt.js';
import { createExclusively, readCreated } from '../processes/create-exclusively.js';
import type { ProjectPaths } from '../project-paths.js';
import { makeSystemFolder } from '../runtime/runtime-file.js';
import { notKept, notRead } from './store-errors.js';

/** In the folder of the store; no object has a name of one part. */
const ID_FILE = 'store-id';
/** Interval between checks of a known store before reads; before each write it is always checked. */
const LOOK_MS = 5000;

interface Seen {
  store: string;
  id: string;
}

/**
 * Distinguishes a shared store from the empty mount point of an unmounted file system. The first write leaves an
 * id in the store, and each project remembers on its machine the id it saw. A folder without that id is refused
 * from then on, so that existing data is not reported missing, and nothing is written outside the store. Checks
 * are synchronous: an encoded value is written before anything else happens.
 */
export class StoreIdentity {
  private readonly idFile: string;
  private readonly seenFile: string;
  private seenAt = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds from any starting point. */
  constructor(
    private readonly folder: string,
    private readonly paths: Pick<ProjectPaths, 'system' | 'sharedStores'>,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.idFile = join(folder, ID_FILE);
    const name = createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 16);
    this.seenFile = join(paths.sharedStores, `${name}.json`);
  }

  /**
   * Checks that the store is the one seen before; a new one gets its id before the first write. @throws AbilityError
   * `store.not_shared` if it differs or cannot be checked; `store.full` if its id cannot be written.
   */
  check(isWrite: boolean): void {
    if (!isWrite && this.now() - this.seenAt < LOOK_MS) return;
    const seen = this.readSeen();
    let id = this.readId();
    if (seen !== undefined && id !== seen) throw this.notTheSame(id);
    if (id === undefined && isWrite) id = this.writeId();
    if (id === undefined) return;
    if (seen === undefined) this.remember(id);
    this.seenAt = this.now();
  }

  private readId(): string | undefined {
    try {
      return readCreated(this.idFile)?.trim();
    } catch (error) {
      throw notRead('The id of the store', this.folder, error);
    }
  }

  /** If several machines write at once, the first id counts. */
  private writeId(): string | undefined {
    try {
      mkdirSync(this.folder, { recursive: true });
      createExclusively(this.idFile, `${randomUUID()}\n`);
    } catch (error) {
      throw notKept('The id of the store', this.folder, error);
    }
    return this.readId();
  }

  private readSeen(): string | undefined {
    return readJson<Seen>(this.seenFile)?.id;
  }

  private remember(id: string): void {
    // A project that cannot be written still uses the store, but would not notice another one in its place.
    attempt(() => {
      makeSystemFolder(this.paths);
      const seen: Seen = { store: this.folder, id };
      writeWhole(this.seenFile, `${JSON.stringify(seen, null, 2)}\n`);
    });
  }

  private notTheSame(id: string | undefined): AbilityError {
    const what =
      id === undefined
        ? 'is not the store that this project used there before: the folder contains no store, as when its file system is not mounted'
        : 'is a different store from the one that this project used there before';
    return new AbilityError({
      code: 'store.not_shared',
      message: `${this.folder} ${what}`,
      suggestion: `Mount the store, and try again. Where it was replaced on purpose, remove ${this.seenFile}; what was only in the old one is lost.`,
    });
  }
}
