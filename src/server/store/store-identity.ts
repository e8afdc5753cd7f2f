import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AbilityError } from '../../contracts/problem.js';
import { readJson, writeWhole } from '../disk.js';
import { createExclusively, readCreated } from '../processes/create-exclusively.js';
import type { ProjectPaths } from '../project-paths.js';
import { makeSystemFolder } from '../runtime/runtime-file.js';
import { notKept, notRead } from './store-errors.js';

/** In the folder of the store; no object has a name of one part. */
const ID_FILE = 'store-id';
/** A store that was seen is not looked at again for so long before it is read; before each write it is. */
const LOOK_MS = 5000;

/** What a project remembers of a store. */
interface Seen {
  store: string;
  id: string;
}

/**
 * Tells a shared store from the empty folder that is there while its file system is not mounted.
 *
 * The first write leaves an id in the store, and each project remembers on its machine which id it saw there. A folder
 * without that id is refused from then on, so that nothing is missed as if it had never been, and nothing is written
 * beside the store. Every look is synchronous: a value that was just encoded is written before anything else happens.
 */
export class StoreIdentity {
  private readonly idFile: string;
  private readonly seenFile: string;
  private seenAt = Number.NEGATIVE_INFINITY;

  /** @param now in milliseconds, from any moment on. */
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
   * Looks whether the store is the one that was seen here before; one that is new is given its id before the first write.
   *
   * @throws AbilityError `store.not_shared` where it is not, or cannot be looked at; `store.full` where its id cannot be written.
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

  /** Of several machines at once the first one's counts. */
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
    try {
      makeSystemFolder(this.paths);
      const seen: Seen = { store: this.folder, id };
      writeWhole(this.seenFile, `${JSON.stringify(seen, null, 2)}\n`);
    } catch {
      // A project that cannot be written uses the store all the same, and will not notice another one in its place.
    }
  }

  private notTheSame(id: string | undefined): AbilityError {
    const what =
      id === undefined
        ? 'is not the store that this project used there before: the folder has no store in it, as where its file system is not mounted'
        : 'is another store than the one that this project used there before';
    return new AbilityError({
      code: 'store.not_shared',
      message: `${this.folder} ${what}`,
      suggestion: `Mount the store, and try again. Where it was replaced on purpose, remove ${this.seenFile}; what was only in the old one is lost.`,
    });
  }
}
