import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { isAbsent } from '../../disk/disk-errors.js';
import { syncFolder, writeWhole } from '../../disk/write-files.js';
import { attempt } from '../../text/attempt.js';
import { FolderFiles } from './folder-files.js';
import { partsOf, partsOfPrefix } from './object-name.js';
import type { KeepOptions, KeptFile, NamedObject, Store, StoredFile } from './store.js';
import { absent, damaged, entriesOf, notKept, notRead, notRemoved } from './store-errors.js';
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
    if (attempt(() => digestOf(readFileSync(path)) === digest, false)) return digest;
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
    return this.names.put(name, bytes, moveInto);
  }

  async createNamed(name: string, bytes: Uint8Array): Promise<boolean> {
    this.check(true);
    return this.names.put(name, bytes, linkInto, true);
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

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Maximum number of retries after concurrent removals of a parent folder. */
const MAX_TURNS = 100;

type Place<T> = (path: string, own: string) => Promise<T>;

/** Named objects, in `<folder>/<name>`. */
class FolderNames {
  constructor(private readonly folder: string) {}

  /** @param place gives the written file its name. @param flush whether its bytes are on the disk then. */
  async put<T>(name: string, bytes: Uint8Array, place: Place<T>, flush = false): Promise<T> {
    const path = join(this.folder, ...partsOf(name));
    const fresh = join(this.folder, 'new');
    const own = join(fresh, randomUUID());
    try {
      await mkdir(fresh, { recursive: true });
      await writeFile(own, bytes, { flush });
      return await place(path, own);
    } catch (error) {
      await rm(own, { force: true }).catch(() => {});
      throw notKept(name, this.folder, error);
    }
  }

  async get(name: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(join(this.folder, ...partsOf(name)));
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw notRead(name, this.folder, error);
    }
  }

  async list(prefix: string): Promise<NamedObject[]> {
    const found = await this.below(partsOfPrefix(prefix));
    return found.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  async remove(name: string): Promise<void> {
    const isAll = name.endsWith('/');
    const path = join(this.folder, ...(isAll ? partsOfPrefix(name) : partsOf(name)));
    try {
      await rm(path, { recursive: isAll, force: true });
    } catch (error) {
      // A parent that is a file has nothing below it.
      if (!isAbsent(error)) throw notRemoved(name, this.folder, error);
    }
    await this.removeEmpty(dirname(path));
  }

  private async below(parts: string[]): Promise<NamedObject[]> {
    const found: NamedObject[] = [];
    for (const entry of await entriesOf(join(this.folder, ...parts))) {
      const inner = [...parts, entry.name];
      if (entry.isDirectory()) found.push(...(await this.below(inner)));
      else found.push(...(await lookAt(inner.join('/'), join(this.folder, ...inner))));
    }
    return found;
  }

  /** Removes parent folders along with their last object. */
  private async removeEmpty(folder: string): Promise<void> {
    for (let at = folder; at !== this.folder && at.startsWith(this.folder); at = dirname(at)) {
      try {
        await rmdir(at);
      } catch {
        return;
      }
    }
  }
}

/** Retries, since others may remove an empty parent folder at any time. */
async function moveInto(path: string, own: string): Promise<void> {
  for (let turn = 1; ; turn += 1) {
    try {
      await mkdir(dirname(path), { recursive: true });
      await rename(own, path);
      return;
    } catch (error) {
      if (!isAbsent(error) || !existsSync(own) || turn === MAX_TURNS) throw error;
    }
  }
}

/** A rename would replace what another writer has created. @returns false if the name is taken. */
async function linkInto(path: string, own: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true });
  const error = await link(own, path).catch((failed: NodeJS.ErrnoException) => failed);
  if (error && error.code !== 'EEXIST') throw error;
  await rm(own, { force: true });
  await syncFolder(dirname(path));
  return !error;
}

async function lookAt(name: string, path: string): Promise<NamedObject[]> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? [{ name, bytes: found.size, modified: found.mtime }] : [];
}
