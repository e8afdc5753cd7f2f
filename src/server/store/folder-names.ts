import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAbsent } from '../../disk/disk-errors.js';
import { partsOf, partsOfPrefix } from './object-name.js';
import type { NamedObject } from './store.js';
import { entriesOf, notKept, notRead, notRemoved } from './store-errors.js';

/** Maximum number of retries after concurrent removals of a parent folder. */
const MAX_TURNS = 100;

/** Named objects, in `<folder>/<name>`. */
export class FolderNames {
  constructor(private readonly folder: string) {}

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.folder, ...partsOf(name));
    const fresh = join(this.folder, 'new');
    const own = join(fresh, randomUUID());
    try {
      await mkdir(fresh, { recursive: true });
      await writeFile(own, bytes);
      await moveInto(path, own);
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

async function lookAt(name: string, path: string): Promise<NamedObject[]> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? [{ name, bytes: found.size, modified: found.mtime }] : [];
}
