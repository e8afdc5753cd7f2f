import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessGroups, StartedProcesses } from '../activities/processes/run-process.js';
import { CALL_ID_VARIABLE } from '../contracts/names.js';
import { inFolder } from '../disk/write-files.js';
import { allPids, type ProcessEntry, readProcess } from '../server/processes/process-table.js';
import { markOf, signalProcess } from '../server/processes/processes.js';
import { attempt } from '../text/attempt.js';
import { type ProcessTable, readProcesses, SharedProcessTable } from './shared-process-table.js';
import { leftBehind, namesIn, ownName } from './worker-name.js';

/** A process may start another one before it is killed. */
const MAX_ROUNDS = 20;

/**
 * Notes the process groups of running scripts on disk, so that those of a killed worker end before another worker
 * repeats their calls. Processes outside their group are found by their call's id, which begins with the worker's
 * name.
 */
export class RunningGroups implements ProcessGroups {
  private readonly name = ownName();
  private readonly own: string;
  private readonly tables = new SharedProcessTable();
  private readonly starts = new OneATurn();
  private isShown = false;

  constructor(private readonly folder: string) {
    this.own = join(folder, this.name);
  }

  begin(): RunningCall {
    this.showName();
    return new RunningCall(`${this.name}.${randomUUID()}`, this.own, this.tables);
  }

  /** Creates the folder, which names a worker killed before it notes a group; its processes carry that name. */
  private showName(): void {
    try {
      if (!this.isShown) mkdirSync(this.own, { recursive: true });
      this.isShown = true;
    } catch {
      // Processes still end with their call; only those of a killed worker would remain.
    }
  }

  turn(): Promise<void> {
    return this.starts.next();
  }

  /** Kills the processes left behind by dead workers. @returns the number of groups and processes. */
  reap(): number {
    let reaped = 0;
    for (const { name, folder, isForeign } of leftBehind(this.folder)) {
      if (!isForeign) reaped += reapWorker(name, folder);
      rmSync(folder, { recursive: true, force: true });
    }
    return reaped;
  }

  close(): void {
    rmSync(this.own, { recursive: true, force: true });
  }
}

function reapWorker(name: string, folder: string): number {
  const left = new CallProcesses((id) => id.startsWith(`${name}.`));
  const groups = namesIn(folder)
    .map(Number)
    .filter((group) => isStill(group, join(folder, String(group))));
  for (const group of groups) left.adopt(group, true);
  const ended = new Set<number>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = left.signal(readProcesses(allPids()), 'SIGKILL');
    for (const pid of found) ended.add(pid);
    if (found.length === 0) break;
  }
  for (const group of groups) signalGroup(group, 'SIGKILL');
  return new Set([...groups, ...ended]).size;
}

/** False if the group's number now belongs to another process. */
function isStill(group: number, file: string): boolean {
  const leader = markOf(group);
  return !leader || leader.started === readFileSync(file, 'utf8');
}

/** The processes of one call, noted on disk while they may live. */
class RunningCall implements StartedProcesses {
  readonly variables: Readonly<Record<string, string>>;
  private readonly began = performance.now();
  private readonly processes: CallProcesses;
  private pid: number | undefined;
  private group: number | undefined;
  private ending = false;

  /** @param folder for the note of its process group. @param tables shared by the worker's calls. */
  constructor(
    id: string,
    private readonly folder: string,
    private readonly tables: SharedProcessTable,
  ) {
    this.variables = { [CALL_ID_VARIABLE]: id };
    this.processes = new CallProcesses((other) => other === id);
  }

  started(pid: number | undefined, leads: boolean): void {
    if (pid === undefined) return;
    this.pid = pid;
    const started = this.processes.adopt(pid, leads);
    if (!leads) return;
    this.group = pid;
    // The group still ends with its call; only that of a killed worker would remain.
    attempt(() => {
      const note = this.noteOf(pid);
      inFolder(note, () => writeFileSync(note, started ?? markOf(pid)?.started ?? ''));
    });
  }

  async look(): Promise<void> {
    const table = await this.table().catch(() => undefined);
    if (table) this.processes.find(table);
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    const table = await this.table().catch(() => undefined);
    // `end` kills them all, and the group may no longer exist.
    if (this.ending) return;
    // First those outside the group, while their parents can be seen. None gets a signal twice.
    if (table) this.processes.signal(table, signal, this.group);
    if (this.group !== undefined) signalGroup(this.group, signal);
  }

  async end(limitMs: number): Promise<number> {
    this.ending = true;
    if (this.group !== undefined) signalGroup(this.group, 'SIGKILL');
    const left = await this.processes.kill(() => this.table(), limitMs);
    if (this.group !== undefined) rmSync(this.noteOf(this.group), { force: true });
    return left;
  }

  private table(): Promise<ProcessTable> {
    return this.tables.take({ pid: this.pid, began: this.began });
  }

  private noteOf(group: number): string {
    return join(this.folder, String(group));
  }
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    signalProcess(-group, signal);
  } catch (error) {
    // On macOS a group with only a zombie; elsewhere a group of another user, as after `sudo`.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}

/**
 * Admits one per turn of the event loop. Starting a process blocks for milliseconds: when a hundred calls begin
 * together, timers, heartbeats and the answers of other calls get their turn in between.
 */
export class OneATurn {
  private readonly waiting: (() => void)[] = [];

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.waiting.length === 1) setImmediate(() => this.admit());
    });
  }

  private admit(): void {
    this.waiting[0]?.();
    this.waiting.shift();
    // Called in a turn, `setImmediate` waits for the next one.
    if (this.waiting.length > 0) setImmediate(() => this.admit());
  }
}

/** Pause between two searches for leftovers: a killed process takes a moment to exit. */
const PAUSE_MS = 5;

/**
 * The processes of a call, even outside its process group, session or parent. A process belongs to the call if the
 * environment it was started with has the call's id; if that was cleared, as long as its parent or session is
 * known to belong to the call. One with the id of another call belongs to that one.
 */
class CallProcesses {
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
  return attempt(() => {
    process.kill(pid, signal);
    return true;
  }, false);
}
