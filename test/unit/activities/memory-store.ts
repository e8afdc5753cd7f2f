import { createHash } from 'node:crypto';
import { AbilityError } from '../../../src/contracts/problem.js';

/** A store in memory, which disappears with the test. */
export class MemoryStore {
  readonly kept = new Map<string, Uint8Array>();
  /** The digests that were read, in order. */
  readonly read: string[] = [];

  async put(bytes: Uint8Array): Promise<string> {
    const digest = createHash('sha256').update(bytes).digest('hex');
    this.kept.set(digest, bytes);
    return digest;
  }

  async get(digest: string): Promise<Uint8Array> {
    this.read.push(digest);
    const bytes = this.kept.get(digest);
    if (!bytes) throw new AbilityError({ code: 'store.not_shared', message: `${digest} is not there` });
    return bytes;
  }

  async holds(digest: string): Promise<boolean> {
    return this.kept.has(digest);
  }
}
