import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessEntry, readProcess } from '../server/processes/process-table.js';
import type { ProcessTable } from './shared-process-table.js';

/** Pause between two searches for leftovers: a killed process takes a moment to exit. */
const PAUSE_MS = 5;

/**
 * The processes of a call, even outside its process group, session or parent. A process belongs to the call if the
 * environment it was started with has the call's id; if that was cleared, as long as its parent or session is
 * known to belong to the call. One with the id of another call belongs to that one.
 */
export class CallProcesses {
  /** Start times of the processes found for the call, by pid. */
  private readonly known = new Map<number, string>();
  private readonly sessions = new Set<number>();

  /** @param belongs whether a call id belongs to the call. */
  constructor(private readonly belongs: (callId: string) => boolean) {}

  /** Adds a process. @param leads whether it leads a session. @returns its start; undefined if it has exited. */
  adopt(pid: number, leads: boolean): string | undefined {
    const entry = readProcess(pid);
    if (entry) this.known.set(pid, entry.started);
    if (leads) this.sessions.add(pid);
    return entry?.started;
  }

  /** @param table just taken: pids are reused. @param except group that is signalled whole. @returns pids. */
  signal(table: ProcessTable, signal: NodeJS.Signals, except?: number): number[] {
    return this.find(table)
      .filter(({ group }) => group !== except)
      .map(({ pid }) => pid)
      .filter((pid) => reached(pid, signal));
  }

  /** Kills until none is left: they may start others. @param look takes a new table. @returns how many remain. */
  async kill(look: () => Promise<ProcessTable>, limitMs: number): Promise<number> {
    const deadline = performance.now() + limitMs;
    for (;;) {
      const left = this.signal(await look(), 'SIGKILL').length;
      if (left === 0 || performance.now() > deadline) return left;
      await sleep(PAUSE_MS);
    }
  }

  /** Finds processes of the call, and remembers them in case their parents exit. */
  find({ entries, starts }: ProcessTable): ProcessEntry[] {
    const found = new Set<ProcessEntry>();
    // Repeats, since a child may have a lower pid than its parent.
    for (let before = -1; before < found.size; ) {
      before = found.size;
      for (const entry of entries) if (!found.has(entry) && this.owns(entry, starts)) found.add(this.remember(entry));
    }
    return [...found];
  }

  private owns({ pid, started, parent, session, callId }: ProcessEntry, starts: ProcessTable['starts']): boolean {
    if (callId !== undefined) return this.belongs(callId);
    if (this.known.get(pid) === started || this.sessions.has(session)) return true;
    // Another process may have the pid of a dead parent by now.
    const parentStarted = starts.get(parent);
    return parentStarted !== undefined && this.known.get(parent) === parentStarted;
  }

  private remember(entry: ProcessEntry): ProcessEntry {
    this.known.set(entry.pid, entry.started);
    // Not our own session, which has processes besides those of the call.
    if (entry.session !== ownSession()) this.sessions.add(entry.session);
    return entry;
  }
}

let session: number | undefined;

function ownSession(): number {
  session ??= readProcess(process.pid)?.session ?? 0;
  return session;
}

/** False if the process has exited or belongs to another user, as after `sudo`. */
function reached(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
