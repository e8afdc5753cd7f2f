import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessGroups } from '../activities/script/run-process.js';
import { ownSpace } from '../server/process-space.js';
import { isAlive, markOf, ownMark, type ProcessMark, signalProcess } from '../server/processes.js';

/** Where pids mean what they mean here, as the end of a name. */
const SPACE = `.${createHash('sha256').update(`${ownSpace().boot} ${ownSpace().pids}`).digest('hex').slice(0, 16)}`;

/**
 * Notes the process groups of running scripts on disk, so that those of a worker that was killed end before another
 * worker repeats their calls. Source: design, section 12.
 */
export class RunningGroups implements ProcessGroups {
  private readonly own: string;

  constructor(private readonly folder: string) {
    this.own = join(folder, `${nameOf(ownMark())}${SPACE}`);
  }

  add(pid: number): () => void {
    const mark = markOf(pid);
    const file = join(this.own, String(pid));
    try {
      mkdirSync(this.own, { recursive: true });
      writeFileSync(file, mark?.started ?? '');
    } catch {
      // Without a note the group still dies with its call; only a killed worker would leave it.
      return () => {};
    }
    return () => rmSync(file, { force: true });
  }

  /** Kills what workers left behind that are no more. @returns how many groups there were. */
  reap(): number {
    let reaped = 0;
    for (const name of listOf(this.folder)) {
      // The numbers of another host or PID namespace are those of other processes here.
      if (name.includes('.') && !name.endsWith(SPACE)) continue;
      const worker = markFrom(name.split('.', 1)[0] ?? '');
      if (!worker || isAlive(worker)) continue;
      const folder = join(this.folder, name);
      for (const group of listOf(folder)) reaped += this.kill(Number(group), join(folder, group));
      rmSync(folder, { recursive: true, force: true });
    }
    return reaped;
  }

  /** Forgets this worker. */
  close(): void {
    rmSync(this.own, { recursive: true, force: true });
  }

  /** A group whose number was given to another process since is left alone. */
  private kill(group: number, file: string): number {
    const leader = markOf(group);
    if (leader && leader.started !== readFileSync(file, 'utf8')) return 0;
    try {
      signalProcess(-group, 'SIGKILL');
      return 1;
    } catch {
      return 0;
    }
  }
}

function listOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function nameOf({ pid, started }: ProcessMark): string {
  return `${pid}@${started.replaceAll(/[^0-9A-Za-z]/g, '_')}`;
}

function markFrom(name: string): ProcessMark | undefined {
  const [, pid] = /^(\d+)@/.exec(name) ?? [];
  const mark = pid === undefined ? undefined : markOf(Number(pid));
  if (pid === undefined) return undefined;
  return mark && nameOf(mark) === name ? mark : { pid: Number(pid), started: 'gone' };
}
