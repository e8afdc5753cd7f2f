import type { Store } from '../store/store.js';

/** Temporal's format of a run id; only such a text may become the name of an object. */
const RUN_ID = /^[0-9a-f-]{36}$/i;
const NOTHING = new Uint8Array();

/**
 * The first runs of continued tasks that a worker has verified as tasks, an empty object each: a task may outlive
 * what Temporal keeps of its first run. If an entry cannot be read or written, its run is verified again.
 */
export class CheckedChains {
  constructor(private readonly store: Pick<Store, 'getNamed' | 'putNamed'>) {}

  async has(first: string): Promise<boolean> {
    if (!RUN_ID.test(first)) return false;
    const found = await this.store.getNamed(nameOf(first)).catch(() => undefined);
    return found !== undefined;
  }

  async keep(first: string): Promise<void> {
    // Otherwise Temporal still has the run for another check.
    if (RUN_ID.test(first)) await this.store.putNamed(nameOf(first), NOTHING).catch(() => {});
  }
}

function nameOf(first: string): string {
  return `chains/${first}`;
}
