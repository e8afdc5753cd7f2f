import { reasonOf } from '../../contracts/problem.js';
import type { Store } from '../../server/store/store.js';
import { log } from '../logger.js';

/** Maximum size of pending writes; further ones are dropped, since the store is too slow. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Pause after a failure, so that an unavailable store costs nothing. */
const PAUSE_MS = 10_000;
const AT_ONCE = 16;

/** Writes in the background: in order per name, only the last value counts. Logs and counts failures. */
export class StoreWrites {
  private readonly waiting = new Map<string, Uint8Array>();
  private readonly writing = new Map<string, Promise<void>>();
  private bytes = 0;
  private lost = 0;
  private pausedUntil = 0;

  /** @param now monotonic clock in milliseconds. */
  constructor(
    private readonly store: Pick<Store, 'putNamed' | 'where'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get missing(): number {
    return this.lost;
  }

  put(name: string, bytes: Uint8Array): void {
    this.bytes += bytes.length - (this.waiting.get(name)?.length ?? 0);
    this.waiting.delete(name);
    if (this.bytes > MAX_BYTES) {
      this.bytes -= bytes.length;
      this.lose(name, 'the store is slower than what is written to it');
      return;
    }
    this.waiting.set(name, bytes);
    this.next();
  }

  /** Waits until all earlier writes to names with this prefix are done or lost. */
  async settled(prefix: string): Promise<void> {
    const isIn = (name: string): boolean => name.startsWith(prefix);
    const left = new Set([...this.waiting.keys(), ...this.writing.keys()].filter(isIn));
    while (left.size > 0) {
      await Promise.race([...this.writing.values()]);
      for (const name of left) if (!this.waiting.has(name) && !this.writing.has(name)) left.delete(name);
    }
  }

  private next(): void {
    for (const name of this.waiting.keys()) {
      if (this.writing.size >= AT_ONCE) return;
      if (!this.writing.has(name)) this.begin(name);
    }
  }

  private begin(name: string): void {
    const bytes = this.waiting.get(name) as Uint8Array;
    this.waiting.delete(name);
    this.bytes -= bytes.length;
    const done = this.write(name, bytes).then(() => {
      this.writing.delete(name);
      this.next();
    });
    this.writing.set(name, done);
  }

  private async write(name: string, bytes: Uint8Array): Promise<void> {
    if (this.now() < this.pausedUntil) {
      // A recent failure was logged; the next log line contains the new total.
      this.lost += 1;
      return;
    }
    try {
      await this.store.putNamed(name, bytes);
    } catch (error) {
      this.pausedUntil = this.now() + PAUSE_MS;
      this.lose(name, reasonOf(error));
    }
  }

  private lose(name: string, reason: string): void {
    this.lost += 1;
    log.error({ name, reason, shared_missing: this.lost }, `${name} was not written to ${this.store.where}: ${reason}`);
  }
}
