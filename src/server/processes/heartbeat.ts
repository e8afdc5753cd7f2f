import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, futimesSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { isAbsent, isNoRoom } from '../../disk/disk-errors.js';
import { fileOf } from './create-exclusively.js';

/** Limits for detecting a dead holder that cannot be seen by its pid. Milliseconds. */
export interface HeartbeatLimits {
  beat: number;
  /** After this long without a heartbeat, the holder counts as dead. */
  stale: number;
  /** How long to watch an old heartbeat before taking its lock: clocks may differ. */
  confirm: number;
  /** A holder that could give no sign for this long gives up, well before others take its lock. */
  giveUp: number;
}

export const HEARTBEAT: HeartbeatLimits = { beat: 1000, stale: 10_000, confirm: 2500, giveUp: 5000 };

/**
 * Writes the content again, so that the file system's clock sets the time. @returns false if the lock no longer
 * has this content. @throws the error of the file system.
 */
export function giveSign(path: string, content: string): boolean {
  let fd: number;
  try {
    fd = openSync(fileOf(path), 'r+');
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
  try {
    // Checks and writes the opened file; another holder's lock is another file.
    if (readFileSync(fd, 'utf8') !== content) return false;
    rewrite(fd, content);
    return true;
  } finally {
    closeSync(fd);
  }
}

/** Time by the file system's clock, ms; undefined if there is no lock. */
export function lastSign(path: string): number | undefined {
  try {
    // Opening makes a network file system return current data; a plain stat may be answered from a cache.
    const fd = openSync(fileOf(path), 'r');
    try {
      return fstatSync(fd).mtimeMs;
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

/**
 * Whether the last heartbeat is recent. Both times are the file system's, since clocks of hosts differ. A
 * heartbeat far in the future does not count: the clock was set back since, as on a machine without a clock
 * battery, and a living holder sends the next one within a second.
 */
export function isFresh(path: string, { stale }: HeartbeatLimits = HEARTBEAT): boolean {
  const last = lastSign(path);
  if (last === undefined) return false;
  const now = timeOf(path);
  // If the time is unknown, the safe mistake is to take the holder for alive.
  return now === undefined || Math.abs(now - last) < stale;
}

/** Watches an old heartbeat; blocks. @returns whether no new one came. */
export function staysSilent(path: string, { confirm }: HeartbeatLimits = HEARTBEAT): boolean {
  const before = lastSign(path);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, confirm);
  return lastSign(path) === before;
}

/** A copy-on-write file system that is full cannot even write the same bytes again. */
function rewrite(fd: number, content: string): void {
  try {
    writeSync(fd, content, 0);
  } catch (error) {
    if (!isNoRoom(error)) throw error;
    const now = new Date();
    futimesSync(fd, now, now);
  }
}

function timeOf(path: string): number | undefined {
  const probe = `${path}.${randomUUID()}`;
  try {
    const fd = openSync(probe, 'wx');
    try {
      return fstatSync(fd).mtimeMs;
    } finally {
      closeSync(fd);
      rmSync(probe, { force: true });
    }
  } catch {
    return undefined;
  }
}
