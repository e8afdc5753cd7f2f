import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ownSpace } from '../server/processes/process-space.js';
import { isAlive, markOf, ownMark, type ProcessMark } from '../server/processes/processes.js';

/** Identifies the space in which pids are valid, as the end of a name. */
const SPACE = createHash('sha256').update(`${ownSpace().boot} ${ownSpace().pids}`).digest('hex').slice(0, 16);

/** Age after which leftovers of a worker on another host, boot or container are dropped. */
const FOREIGN_MS = 7 * 24 * 60 * 60_000;

/** Leftovers of a dead worker in a shared folder. */
export interface LeftBehind {
  /** Name of the worker. */
  name: string;
  folder: string;
  /** It ran in another host, boot or PID namespace, where the same numbers are other processes. */
  isForeign: boolean;
}

/** The name of this worker, as folders on disk have it. */
export function ownName(): string {
  return nameOf(ownMark());
}

/** Leftovers of dead workers; those of other hosts only if old. */
export function leftBehind(folder: string): LeftBehind[] {
  return namesIn(folder).flatMap((name) => {
    const own = join(folder, name);
    const foreign = isForeign(name);
    if (foreign && !isOld(own)) return [];
    const worker = markFrom(name);
    return !worker || isAlive(worker) ? [] : [{ name, folder: own, isForeign: foreign }];
  });
}

/** Names in a folder; empty if it does not exist. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isOld(folder: string): boolean {
  return Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0) > FOREIGN_MS;
}

/** The numbers of another host, boot or PID namespace are those of other processes here. */
function isForeign(name: string): boolean {
  const [, , other] = name.split('@');
  return other !== undefined && other !== SPACE;
}

function nameOf(mark: ProcessMark): string {
  return `${oldNameOf(mark)}@${SPACE}`;
}

function oldNameOf({ pid, started }: ProcessMark): string {
  return `${pid}@${started.replaceAll(/[^0-9A-Za-z]/g, '_')}`;
}

function markFrom(name: string): ProcessMark | undefined {
  const [, pid] = /^(\d+)@/.exec(name) ?? [];
  const mark = pid === undefined ? undefined : markOf(Number(pid));
  if (pid === undefined) return undefined;
  // Earlier builds did not name the space.
  return mark && [nameOf(mark), oldNameOf(mark)].includes(name) ? mark : { pid: Number(pid), started: 'gone' };
}
