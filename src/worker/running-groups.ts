import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessGroups } from '../activities/script/process-groups.js';
import { allPids } from '../server/processes/process-table.js';
import { markOf, signalProcess } from '../server/processes/processes.js';
import { CallProcesses } from './call-processes.js';
import { OneATurn } from './one-a-turn.js';
import { RunningCall } from './running-call.js';
import { lookAt, SharedLook } from './shared-look.js';
import { leftBehind, namesIn, ownName } from './worker-name.js';

/** A process that is killed may have started another one meanwhile. */
const MOST_ROUNDS = 20;

/**
 * Notes the process groups of running scripts on disk, so that those of a worker that was killed end before another
 * worker repeats their calls. What left its group is found by the id of its call, which begins with the worker's name.
 *
 * Source: docs/operations.md#safety.
 */
export class RunningGroups implements ProcessGroups {
  private readonly name = ownName();
  private readonly own: string;
  private readonly looks = new SharedLook();
  private readonly starts = new OneATurn();
  private isShown = false;

  constructor(private readonly folder: string) {
    this.own = join(folder, this.name);
  }

  begin(): RunningCall {
    this.showName();
    return new RunningCall(`${this.name}.${randomUUID()}`, this.own, this.looks);
  }

  /** A worker that is killed before it has noted a group is known by its folder; what it started carries its name. */
  private showName(): void {
    try {
      if (!this.isShown) mkdirSync(this.own, { recursive: true });
      this.isShown = true;
    } catch {
      // Without it the processes of a call still end with the call; only a killed worker would leave them.
    }
  }

  turn(): Promise<void> {
    return this.starts.next();
  }

  /** Kills what workers left behind that are no more. @returns how many groups and processes that was. */
  reap(): number {
    let reaped = 0;
    for (const { name, folder, isForeign } of leftBehind(this.folder)) {
      if (!isForeign) reaped += reapWorker(name, folder);
      rmSync(folder, { recursive: true, force: true });
    }
    return reaped;
  }

  /** Forgets this worker. */
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
  const gone = new Set<number>();
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const found = left.signal(lookAt(allPids()), 'SIGKILL');
    for (const pid of found) gone.add(pid);
    if (found.length === 0) break;
  }
  for (const group of groups) signalGroup(group);
  return new Set([...groups, ...gone]).size;
}

/** A group whose number was given to another process since is left alone. */
function isStill(group: number, file: string): boolean {
  const leader = markOf(group);
  return !leader || leader.started === readFileSync(file, 'utf8');
}

function signalGroup(group: number): void {
  try {
    signalProcess(-group, 'SIGKILL');
  } catch {
    // It belongs to another user, as after `sudo`.
  }
}
