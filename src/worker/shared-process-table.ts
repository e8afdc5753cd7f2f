import { allPids, type ProcessEntry, pidsSince, readProcess } from '../server/processes/process-table.js';

/** The pause after a look, as a multiple of it, so that looking takes a tenth of the time however many calls ask. */
const PAUSE = 9;
/** Maximum wait for a look that other calls can share. Milliseconds. */
const MAX_PAUSE_MS = 50;

export interface ProcessTable {
  entries: readonly ProcessEntry[];
  /** Start time by pid. */
  starts: ReadonlyMap<number, string>;
}

/** The processes that a table must cover: those started since. */
export interface WantedProcesses {
  /** Pid of the first process; undefined: all processes of the machine. */
  pid: number | undefined;
  /** Its start time or earlier, by `performance.now`. */
  began: number;
}

interface Waiting {
  wanted: WantedProcesses;
  resolve: (table: ProcessTable) => void;
  reject: (reason: unknown) => void;
}

/** Reads all these processes except this one. */
export function readProcesses(pids: readonly number[]): ProcessTable {
  const entries = pids.flatMap((pid) => (pid === process.pid ? [] : (readProcess(pid) ?? [])));
  return { entries, starts: new Map(entries.map(({ pid, started }) => [pid, started])) };
}

/**
 * Takes one process table for all simultaneous requests: calls that end together would each read every process
 * started since they began. It is taken after each request, since an earlier one may miss processes, and in one
 * go: between two parts a process could start another one and end, and neither would be seen.
 */
export class SharedProcessTable {
  private waiting: Waiting[] = [];
  /** Earliest time of the next look, by `performance.now`. */
  private free = 0;

  /** @throws Error of the system where processes cannot be listed, as when too many files are open. */
  take(wanted: WantedProcesses): Promise<ProcessTable> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ wanted, resolve, reject });
      if (this.waiting.length > 1) return;
      const pause = this.free - performance.now();
      // One turn of the event loop, in which the ends of other programs arrive too.
      if (pause > 0) setTimeout(() => this.look(), pause);
      else setImmediate(() => this.look());
    });
  }

  private look(): void {
    const { waiting } = this;
    this.waiting = [];
    const began = performance.now();
    try {
      const table = readProcesses(pidsOf(waiting.map(({ wanted }) => wanted)));
      for (const { resolve } of waiting) resolve(table);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
    const took = performance.now() - began;
    this.free = began + took + Math.min(MAX_PAUSE_MS, took * PAUSE);
  }
}

function pidsOf(wanted: readonly WantedProcesses[]): number[] {
  const now = performance.now();
  const since = wanted.flatMap(({ pid, began }) => (pid === undefined ? [] : [{ pid, elapsedMs: now - began }]));
  return since.length < wanted.length ? allPids() : pidsSince(since);
}
