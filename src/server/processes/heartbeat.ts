import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, futimesSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { isAbsent, isNoRoom } from '../disk.js';
import { fileOf } from './create-exclusively.js';

/** When a holder that cannot be seen counts as dead. Milliseconds. */
export interface HeartbeatLimits {
  /** Interval of a holder's heartbeats. */
  beat: number;
  /** Without a sign for this long it counts as dead. */
  stale: number;
  /** So long a heartbeat that looks old is watched before its lock is taken: clocks may differ. */
  confirm: number;
  /** A holder that could give no sign for this long gives up, well before others take its lock. */
  giveUp: number;
}

/** The limits of every lock. */
export const HEARTBEAT: HeartbeatLimits = { beat: 1000, stale: 10_000, confirm: 2500, giveUp: 5000 };

/**
 * Gives a sign of life: writes the content again, so that the clock of the file system is the one that counts.
 *
 * @returns false where the lock is not that of this content any more. @throws the error of the file system.
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

/** The last heartbeat, on the clock of the file system in milliseconds; undefined if there is no lock. */
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
 * Whether the last heartbeat is recent. Both times are of the file system, since clocks of hosts differ.
 *
 * A heartbeat in the future comes from a clock that was set back since, as at the start of a machine without a clock
 * battery: a living holder sends the next one within a second, by the new time.
 */
export function isFresh(path: string, { stale }: HeartbeatLimits = HEARTBEAT): boolean {
  const last = lastSign(path);
  if (last === undefined) return false;
  const now = timeOf(path);
  // Where no time can be had, the safe mistake is to take the holder for alive.
  return now === undefined || Math.abs(now - last) < stale;
}

/** Watches a heartbeat that looks old. Blocks. @returns whether there was no sign of life meanwhile. */
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

/** Current time on the file system of a path. */
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
