import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AbilityError } from '../contracts/problem.js';
import { isNoRoom, writeWhole } from './runtime-file.js';

/** Bytes by their SHA-256, in a folder that the workers of an environment share. Source: design, section 6. */
export class PayloadStore {
  constructor(readonly folder: string) {}

  /** Keeps bytes and gives their digest; what lies there damaged is written anew. @throws AbilityError `store.full`. */
  put(bytes: Uint8Array): string {
    const digest = digestOf(bytes);
    const path = this.pathOf(digest);
    if (isWhole(path, digest)) return digest;
    try {
      writeWhole(path, bytes);
    } catch (error) {
      const reason = isNoRoom(error) ? 'the disk is full' : error instanceof Error ? error.message : String(error);
      throw new AbilityError(
        {
          code: 'store.full',
          message: `${bytes.length} bytes could not be kept in ${this.folder}: ${reason}`,
          suggestion: 'Make room there, or point ABILITY_STORE elsewhere.',
        },
        { cause: error },
      );
    }
    return digest;
  }

  /** The bytes of a digest, checked. @throws AbilityError `store.not_shared`. */
  async get(digest: string): Promise<Uint8Array> {
    const bytes = await readFile(this.pathOf(digest)).catch(() => undefined);
    if (bytes && digestOf(bytes) === digest) return bytes;
    throw new AbilityError({
      code: 'store.not_shared',
      message: bytes ? `The stored value ${digest} is damaged` : `The stored value ${digest} is not in ${this.folder}`,
      suggestion: 'Point ABILITY_STORE to the folder that the workers of the environment share.',
    });
  }

  /** Whether the bytes of a digest are there, undamaged. */
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
