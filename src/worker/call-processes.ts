import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessEntry, readProcess } from '../server/processes/process-table.js';
import type { ProcessTable } from './shared-look.js';

/** Pause between two searches for leftovers: a killed process takes a moment to exit. */
const PAUSE_MS = 5;

/**
 * The processes of a call, wherever they have gone: out of the process group, out of the session, away from their parent.
 *
 * A process belongs to the call when the environment it was started with holds the call's id; when that was cleared, as
 * long as its parent or its session is known to be of the call. One that carries the id of another call is of that call.
 */
export class CallProcesses {
  /** Each process that was seen to be of the call, by its number; the value is its start. */
  private readonly known = new Map<number, string>();
  private readonly sessions = new Set<number>();

  /** @param belongs whether a process with this call id is one to find. */
  constructor(private readonly belongs: (callId: string) => boolean) {}

  /**
   * Starts from a process that is known to be of the call.
   *
   * @param leads whether its session is its own. @returns its start; undefined where it is gone.
   */
  adopt(pid: number, leads: boolean): string | undefined {
    const entry = readProcess(pid);
    if (entry) this.known.set(pid, entry.started);
    if (leads) this.sessions.add(pid);
    return entry?.started;
  }

  /**
   * Sends a signal to all that are found, but for a group that gets it as a whole.
   *
   * @param table of this very moment: later a number may be that of another process. @returns their numbers.
   */
  signal(table: ProcessTable, signal: NodeJS.Signals, except?: number): number[] {
    return this.find(table)
      .filter(({ group }) => group !== except)
      .map(({ pid }) => pid)
      .filter((pid) => reached(pid, signal));
  }

  /**
   * Kills until none is found, since they may start others meanwhile.
   *
   * @param look takes a process table after it was requested. @param limitMs gives up after this time. @returns how
   * many are left.
   */
  async kill(look: () => Promise<ProcessTable>, limitMs: number): Promise<number> {
    const deadline = performance.now() + limitMs;
    for (;;) {
      const left = this.signal(await look(), 'SIGKILL').length;
      if (left === 0 || performance.now() > deadline) return left;
      await sleep(PAUSE_MS);
    }
  }

  /** Finds them, and remembers each as long as it can be found by its parent. */
  find({ entries, starts }: ProcessTable): ProcessEntry[] {
    const found = new Set<ProcessEntry>();
    // A child may have a lower number than its parent, so that one pass does not find a whole tree.
    for (let before = -1; before < found.size; ) {
      before = found.size;
      for (const entry of entries) if (!found.has(entry) && this.owns(entry, starts)) found.add(this.remember(entry));
    }
    return [...found];
  }

  private owns({ pid, started, parent, session, callId }: ProcessEntry, starts: ProcessTable['starts']): boolean {
    if (callId !== undefined) return this.belongs(callId);
    if (this.known.get(pid) === started || this.sessions.has(session)) return true;
    // The id of a dead parent may belong to another process now.
    const parentStarted = starts.get(parent);
    return parentStarted !== undefined && this.known.get(parent) === parentStarted;
  }

  private remember(entry: ProcessEntry): ProcessEntry {
    this.known.set(entry.pid, entry.started);
    // A process that we start beside ourselves, as a server, stays in our session.
    if (entry.session !== ownSession()) this.sessions.add(entry.session);
    return entry;
  }
}

let session: number | undefined;

function ownSession(): number {
  session ??= readProcess(process.pid)?.session ?? 0;
  return session;
}

/** A process of another user, as after `sudo`, or one that is gone, is not reached. */
function reached(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
