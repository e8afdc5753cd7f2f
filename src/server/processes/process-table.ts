import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { CALL_ID_VARIABLE } from '../../contracts/names.js';

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

/** Upper limit of new pids per millisecond, to detect when pids may have wrapped around. */
const MAX_PIDS_PER_MS = 30;

/** Only Linux exposes processes as files. */
export const CAN_LIST = process.platform === 'linux';

export interface Since {
  pid: number;
  elapsedMs: number;
}

/**
 * Pids that may have been assigned after one of others; all if pids may have wrapped around. Reading a process
 * takes microseconds, and machines have hundreds; pids are assigned in order, so few qualify after a short call.
 */
export function pidsSince(others: readonly Since[]): number[] {
  const pids = allPids();
  const last = lastPid();
  const maxMs = maxPids() / MAX_PIDS_PER_MS;
  if (last === undefined || others.some(({ elapsedMs }) => elapsedMs > maxMs)) return pids;
  const first = (which: (pid: number) => boolean): number =>
    Math.min(...others.map(({ pid }) => pid).filter((pid) => which(pid)));
  const low = first((pid) => pid <= last);
  // Pids wrapped around after this one was assigned.
  const before = first((pid) => pid > last);
  return pids.filter((pid) => pid >= before || (pid <= last && (pid >= low || before < Number.POSITIVE_INFINITY)));
}

/** Empty if processes cannot be listed. */
export function allPids(): number[] {
  if (!CAN_LIST) return [];
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

/** Undefined if the process has exited or is a zombie. */
export function readProcess(pid: number): ProcessEntry | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name in parentheses may contain spaces; the fields after it do not. See proc(5).
  const [state, parent, group, session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return undefined;
  const numbers = { parent: Number(parent), group: Number(group), session: Number(session) };
  return { pid, started: rest[15] ?? '', ...numbers, callId: callIdOf(pid) };
}

/** Undefined if the process belongs to no call, or is unreadable. */
function callIdOf(pid: number): string | undefined {
  const name = `${CALL_ID_VARIABLE}=`;
  const environ = `\0${readText(`/proc/${pid}/environ`) ?? ''}`;
  const at = environ.indexOf(`\0${name}`);
  if (at < 0) return undefined;
  const begin = at + 1 + name.length;
  const end = environ.indexOf('\0', begin);
  return environ.slice(begin, end < 0 ? undefined : end);
}

function lastPid(): number | undefined {
  const last = Number(readText('/proc/loadavg')?.trim().split(' ').at(-1));
  return last > 0 ? last : undefined;
}

let max: number | undefined;

function maxPids(): number {
  max ??= Number(readText('/proc/sys/kernel/pid_max') ?? 0);
  return max;
}

/** Files in /proc do not report their size; one shared buffer serves hundreds of reads. */
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
