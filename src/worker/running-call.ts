import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inFolder } from '../activities/record/in-folder.js';
import type { StartedProcesses } from '../activities/script/process-groups.js';
import { CALL_ID_VARIABLE } from '../contracts/names.js';
import { markOf, signalProcess } from '../server/processes/processes.js';
import { CallProcesses } from './call-processes.js';
import type { ProcessTable, SharedLook } from './shared-look.js';

/** The processes of one call, noted on disk while they may live. */
export class RunningCall implements StartedProcesses {
  readonly variables: Readonly<Record<string, string>>;
  private readonly began = performance.now();
  private readonly processes: CallProcesses;
  private pid: number | undefined;
  /** Of a process that leads its group. */
  private group: number | undefined;
  private ending = false;

  /** @param folder where its process group is noted. @param looks shared with the other calls of the worker. */
  constructor(
    id: string,
    private readonly folder: string,
    private readonly looks: SharedLook,
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
    try {
      const note = this.noteOf(pid);
      inFolder(note, () => writeFileSync(note, started ?? markOf(pid)?.started ?? ''));
    } catch {
      // Without a note the group still ends with its call; only a killed worker would leave it.
    }
  }

  async look(): Promise<void> {
    const table = await this.table().catch(() => undefined);
    if (table) this.processes.find(table);
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    const table = await this.table().catch(() => undefined);
    // Its end kills them all, and its group may be gone since.
    if (this.ending) return;
    // Those that left are looked for first: their parents can still be seen. None gets a signal twice.
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
    return this.looks.take({ pid: this.pid, began: this.began });
  }

  private noteOf(group: number): string {
    return join(this.folder, String(group));
  }
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    signalProcess(-group, signal);
  } catch (error) {
    // On macOS a group that holds only a zombie; elsewhere one of another user, as after `sudo`.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}
