import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { CALL_ID_VARIABLE } from '../../contracts/names.js';

/** A living process, as far as it is needed to say to which call it belongs. */
export interface ProcessEntry {
  pid: number;
  /** Clock ticks since boot. */
  started: string;
  parent: number;
  group: number;
  session: number;
  /** Its {@link CALL_ID_VARIABLE} at the start; undefined if unset or unreadable. */
  callId: string | undefined;
}

/** Faster than this no machine that we know counts up its process numbers, so that they do not come round unseen. */
const MAX_PIDS_PER_MS = 30;

/** Whether processes can be listed: only Linux exposes them as files. */
export const CAN_LIST = process.platform === 'linux';

/** A process, and how long ago it was started. */
export interface Since {
  pid: number;
  elapsedMs: number;
}

/**
 * Numbers of the processes that may have been started after one of others.
 *
 * A look at one costs microseconds, and machines have hundreds; numbers are given in turn, so that after a short call only
 * few come into question. Where they may have come round meanwhile it is all.
 */
export function pidsSince(others: readonly Since[]): number[] {
  const pids = allPids();
  const last = lastPid();
  const mostMs = mostPids() / MAX_PIDS_PER_MS;
  if (last === undefined || others.some(({ elapsedMs }) => elapsedMs > mostMs)) return pids;
  const first = (which: (pid: number) => boolean): number =>
    Math.min(...others.map(({ pid }) => pid).filter((pid) => which(pid)));
  const low = first((pid) => pid <= last);
  // Numbers began again at the lowest after this one was given.
  const before = first((pid) => pid > last);
  return pids.filter((pid) => pid >= before || (pid <= last && (pid >= low || before < Number.POSITIVE_INFINITY)));
}

/** Ids of all processes; empty where they cannot be listed. */
export function allPids(): number[] {
  if (!CAN_LIST) return [];
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

/** Describes a process; undefined if it is gone or a zombie. */
export function readProcess(pid: number): ProcessEntry | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name in parentheses may hold blanks; the fields after it do not. See proc(5).
  const [state, parent, group, session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return undefined;
  const numbers = { parent: Number(parent), group: Number(group), session: Number(session) };
  return { pid, started: rest[15] ?? '', ...numbers, callId: callIdOf(pid) };
}

/** The id of the call that a process was started for; undefined where it has none, or it cannot be read. */
export function callIdOf(pid: number): string | undefined {
  const name = `${CALL_ID_VARIABLE}=`;
  const environ = `\0${readText(`/proc/${pid}/environ`) ?? ''}`;
  const at = environ.indexOf(`\0${name}`);
  if (at < 0) return undefined;
  const begin = at + 1 + name.length;
  const end = environ.indexOf('\0', begin);
  return environ.slice(begin, end < 0 ? undefined : end);
}

/** The number that was given last. */
function lastPid(): number | undefined {
  const last = Number(readText('/proc/loadavg')?.trim().split(' ').at(-1));
  return last > 0 ? last : undefined;
}

let most: number | undefined;

function mostPids(): number {
  most ??= Number(readText('/proc/sys/kernel/pid_max') ?? 0);
  return most;
}

/** Files of /proc do not say how long they are; a look reads hundreds of them, and none needs room of its own. */
const ROOM = Buffer.allocUnsafeSlow(64 * 1024);

function readText(file: string): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r');
    let text = '';
    for (;;) {
      const bytes = readSync(fd, ROOM);
      if (bytes === 0) return text;
      text += ROOM.toString('latin1', 0, bytes);
    }
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
