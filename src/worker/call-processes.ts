import { setTimeout as sleep } from 'node:timers/promises';
import { allPids, type ProcessEntry, pidsSince, readProcess } from '../server/process-table.js';

/** Between two looks for what is left: a process that was killed takes a moment to go. */
const PAUSE_MS = 5;

/** How processes are looked for. */
export interface CallTraces {
  /** Whether a process with this id of a call is one of those looked for. */
  belongs: (callId: string) => boolean;
  /** Where to look. */
  pids: () => number[];
}

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

  constructor(private readonly traces: CallTraces) {}

  /** Starts from a process that is known to be of the call. @param leads whether its session is its own. */
  adopt(pid: number, leads: boolean): void {
    const entry = readProcess(pid);
    if (entry) this.known.set(pid, entry.started);
    if (leads) this.sessions.add(pid);
  }

  /** Remembers what is found now, as long as it can be found by its parent. */
  look(): void {
    this.find();
  }

  /** Sends a signal to all that are found, but for a group that gets it as a whole. @returns their numbers. */
  signal(signal: NodeJS.Signals, except?: number): number[] {
    return this.find()
      .filter(({ group }) => group !== except)
      .map(({ pid }) => pid)
      .filter((pid) => reached(pid, signal));
  }

  /**
   * Kills until none is found, since they may start others meanwhile.
   *
   * @param limitMs gives up then. @returns how many are left.
   */
  async kill(limitMs: number): Promise<number> {
    const deadline = performance.now() + limitMs;
    for (;;) {
      const left = this.signal('SIGKILL').length;
      if (left === 0 || performance.now() > deadline) return left;
      await sleep(PAUSE_MS);
    }
  }

  private find(): ProcessEntry[] {
    const entries = this.traces.pids().flatMap((pid) => (pid === process.pid ? [] : (readProcess(pid) ?? [])));
    const starts = new Map(entries.map(({ pid, started }) => [pid, started]));
    const found = new Set<ProcessEntry>();
    // A child may have a lower number than its parent, so that one pass does not find a whole tree.
    for (let before = -1; before < found.size; ) {
      before = found.size;
      for (const entry of entries) if (!found.has(entry) && this.owns(entry, starts)) found.add(this.remember(entry));
    }
    return [...found];
  }

  private owns({ pid, started, parent, session, callId }: ProcessEntry, starts: Map<number, string>): boolean {
    if (callId !== undefined) return this.traces.belongs(callId);
    if (this.known.get(pid) === started || this.sessions.has(session)) return true;
    // The number of a parent that has gone may be another's now.
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

/** Where the processes of a call that is under way are looked for: among those that were started since. */
export function tracesOf(callId: string, first: () => number | undefined): CallTraces {
  const begun = performance.now();
  const pids = (): number[] => {
    const pid = first();
    return pid === undefined ? allPids() : pidsSince(pid, performance.now() - begun);
  };
  return { belongs: (other) => other === callId, pids };
}

let session: number | undefined;

function ownSession(): number {
  session ??= readProcess(process.pid)?.session ?? 0;
  return session;
}

/** What belongs to another user, as after `sudo`, or is gone, is not reached. */
function reached(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
