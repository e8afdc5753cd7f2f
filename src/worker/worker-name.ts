import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, markOf, ownMark, ownSpace, type ProcessMark } from '../server/processes/processes.js';
import { attempt } from '../text/attempt.js';

/** Suffix of a name; identifies the space in which its pid is valid. */
const SPACE = createHash('sha256').update(`${ownSpace().boot} ${ownSpace().pids}`).digest('hex').slice(0, 16);

/** Age after which leftovers of a worker on another host, boot or container are dropped. */
const FOREIGN_MS = 7 * 24 * 60 * 60_000;

export interface LeftBehind {
  name: string;
  folder: string;
  /** Whether it ran on another host, boot or PID namespace, where its pid means another process. */
  isForeign: boolean;
}

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

/** Empty if the folder does not exist. */
export function namesIn(folder: string): string[] {
  return attempt(() => readdirSync(folder), []);
}

function isOld(folder: string): boolean {
  return Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0) > FOREIGN_MS;
}

/** Pids from another host, boot or PID namespace mean other processes here. */
function isForeign(name: string): boolean {
  const [, , other] = name.split('@');
  return other !== undefined && other !== SPACE;
}

function nameOf(mark: ProcessMark): string {
  return `${mark.pid}@${mark.started.replaceAll(/[^0-9A-Za-z]/g, '_')}@${SPACE}`;
}

function markFrom(name: string): ProcessMark | undefined {
  const [, pid] = /^(\d+)@/.exec(name) ?? [];
  if (pid === undefined) return undefined;
  const mark = markOf(Number(pid));
  return mark && nameOf(mark) === name ? mark : { pid: Number(pid), started: 'gone' };
}
