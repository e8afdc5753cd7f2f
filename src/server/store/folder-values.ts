import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../disk.js';
import { absent, damaged, notKept } from './store-errors.js';

/** Values by their SHA-256, in `<folder>/<two digits>/<digest>`. Source: docs/architecture.md#the-way-of-a-task. */
export class FolderValues {
  constructor(private readonly folder: string) {}

  put(bytes: Uint8Array): string {
    const digest = digestOf(bytes);
    const path = this.pathOf(digest);
    if (isWhole(path, digest)) return digest;
    try {
      writeWhole(path, bytes);
    } catch (error) {
      throw notKept(`${bytes.length} bytes`, this.folder, error);
    }
    return digest;
  }

  async get(digest: string): Promise<Uint8Array> {
    const bytes = await readFile(this.pathOf(digest)).catch(() => undefined);
    if (bytes && digestOf(bytes) === digest) return bytes;
    throw bytes ? damaged('value', digest, this.folder) : absent('value', digest, this.folder);
  }

  async holds(digest: string): Promise<boolean> {
    const hash = createHash('sha256');
    try {
      for await (const chunk of createReadStream(this.pathOf(digest))) hash.update(chunk as Buffer);
      return hash.digest('hex') === digest;
    } catch {
      return false;
    }
  }

  private pathOf(digest: string): string {
    return join(this.folder, digest.slice(0, 2), digest);
  }
}

function isWhole(path: string, digest: string): boolean {
  try {
    return digestOf(readFileSync(path)) === digest;
  } catch {
    return false;
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
