import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AbilityError } from '../contracts/problem.js';
import { isNoRoom, writeWhole } from './runtime-file.js';

/** Bytes by their SHA-256, in a folder that the workers of an environment share. Source: design, section 6. */
export class PayloadStore {
  constructor(readonly folder: string) {}

  /** Keeps bytes and gives their digest. @throws AbilityError `store.full`. */
  put(bytes: Uint8Array): string {
    const digest = createHash('sha256').update(bytes).digest('hex');
    const path = this.pathOf(digest);
    if (existsSync(path)) return digest;
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
    if (bytes && createHash('sha256').update(bytes).digest('hex') === digest) return bytes;
    throw new AbilityError({
      code: 'store.not_shared',
      message: bytes ? `The stored value ${digest} is damaged` : `The stored value ${digest} is not in ${this.folder}`,
      suggestion: 'Point ABILITY_STORE to the folder that the workers of the environment share.',
    });
  }

  private pathOf(digest: string): string {
    return join(this.folder, digest.slice(0, 2), digest);
  }
}
