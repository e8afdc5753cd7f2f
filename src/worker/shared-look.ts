import { allPids, type ProcessEntry, pidsSince, readProcess } from '../server/processes/process-table.js';

/** The pause after a look, as a multiple of it, so that looking takes a tenth of the time however many calls ask. */
const PAUSE = 9;
/** So long a call waits at most for a look that others can share with it, in milliseconds. */
const MAX_PAUSE_MS = 50;

/** The processes that there were at one moment. */
export interface ProcessTable {
  entries: readonly ProcessEntry[];
  /** When each was started, by its number. */
  starts: ReadonlyMap<number, string>;
}

/** The processes that a table must cover: those started since. */
export interface Asked {
  /** The number of the first one; undefined: all of the machine. */
  pid: number | undefined;
  /** When it was started, or earlier, by the clock of `performance.now`. */
  began: number;
}

interface Waiting {
  asked: Asked;
  resolve: (table: ProcessTable) => void;
  reject: (reason: unknown) => void;
}

/** Looks at processes, but for this one. */
export function lookAt(pids: readonly number[]): ProcessTable {
  const entries = pids.flatMap((pid) => (pid === process.pid ? [] : (readProcess(pid) ?? [])));
  return { entries, starts: new Map(entries.map(({ pid, started }) => [pid, started])) };
}

/**
 * Takes one process table of the machine for all simultaneous requests.
 *
 * When calls end together, each would otherwise read every process started since it began. Each caller gets a table
 * begun after its request, since an earlier one may miss processes that it started. The table is taken in one go:
 * between two parts a process could start another one and end, and neither would be seen.
 */
export class SharedLook {
  private waiting: Waiting[] = [];
  /** No look begins before, by the clock of `performance.now`. */
  private free = 0;

  /** @throws Error of the system where processes cannot be listed, as when too many files are open. */
  take(asked: Asked): Promise<ProcessTable> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ asked, resolve, reject });
      if (this.waiting.length > 1) return;
      const pause = this.free - performance.now();
      // A turn of the event loop, in which the ends of other programs arrive, too.
      if (pause > 0) setTimeout(() => this.look(), pause);
      else setImmediate(() => this.look());
    });
  }

  private look(): void {
    const { waiting } = this;
    this.waiting = [];
    const began = performance.now();
    try {
      const table = lookAt(pidsOf(waiting.map(({ asked }) => asked)));
      for (const { resolve } of waiting) resolve(table);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
    const took = performance.now() - began;
    this.free = began + took + Math.min(MAX_PAUSE_MS, took * PAUSE);
  }
}

function pidsOf(asked: readonly Asked[]): number[] {
  const now = performance.now();
  const since = asked.flatMap(({ pid, began }) => (pid === undefined ? [] : [{ pid, elapsedMs: now - began }]));
  return since.length < asked.length ? allPids() : pidsSince(since);
}
