import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartedProcesses } from '../activities/script/process-groups.js';
import { CALL_ID_VARIABLE } from '../contracts/names.js';
import { markOf, signalProcess } from '../server/processes.js';
import { CallProcesses, tracesOf } from './call-processes.js';

/** The processes of one call, noted on disk while they may live. */
export class RunningCall implements StartedProcesses {
  readonly variables: Readonly<Record<string, string>>;
  private readonly processes: CallProcesses;
  private pid: number | undefined;
  /** Of a process that leads its group. */
  private group: number | undefined;

  /** @param folder where its process group is noted. */
  constructor(
    id: string,
    private readonly folder: string,
  ) {
    this.variables = { [CALL_ID_VARIABLE]: id };
    this.processes = new CallProcesses(tracesOf(id, () => this.pid));
  }

  started(pid: number | undefined, leads: boolean): void {
    if (pid === undefined) return;
    this.pid = pid;
    this.processes.adopt(pid, leads);
    if (!leads) return;
    this.group = pid;
    try {
      mkdirSync(this.folder, { recursive: true });
      writeFileSync(join(this.folder, String(pid)), markOf(pid)?.started ?? '');
    } catch {
      // Without a note the group still ends with its call; only a killed worker would leave it.
    }
  }

  look(): void {
    this.processes.look();
  }

  signal(signal: NodeJS.Signals): void {
    // Those that left are looked for first: their parents can still be seen. None gets a signal twice.
    this.processes.signal(signal, this.group);
    if (this.group !== undefined) signalGroup(this.group, signal);
  }

  async end(limitMs: number): Promise<number> {
    if (this.group !== undefined) signalGroup(this.group, 'SIGKILL');
    const left = await this.processes.kill(limitMs);
    if (this.group !== undefined) rmSync(join(this.folder, String(this.group)), { force: true });
    return left;
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
