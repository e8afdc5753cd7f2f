import { readdirSync, readFileSync } from 'node:fs';
import { CALL_ID_VARIABLE } from '../contracts/names.js';

/** A living process, as far as it is needed to say to which call it belongs. */
export interface ProcessEntry {
  pid: number;
  /** Clock ticks since boot. */
  started: string;
  parent: number;
  group: number;
  session: number;
  /** What it was started with as {@link CALL_ID_VARIABLE}; undefined where it has none, or it cannot be read. */
  callId: string | undefined;
}

/** Faster than this no machine that we know counts up its process numbers, so that they do not come round unseen. */
const MOST_PIDS_PER_MS = 30;

/** Whether processes can be looked at: only Linux shows them as files. */
export const CAN_LIST = process.platform === 'linux';

/**
 * Numbers of the processes that may have been started after another one.
 *
 * A look at one costs microseconds, and machines have hundreds; numbers are given in turn, so that after a short call only
 * few come into question. Where they may have come round meanwhile it is all.
 *
 * @param first the number of that process. @param elapsedMs how long ago it was started.
 */
export function pidsSince(first: number, elapsedMs: number): number[] {
  const pids = allPids();
  const last = lastPid();
  if (last === undefined || elapsedMs * MOST_PIDS_PER_MS > mostPids()) return pids;
  return pids.filter(last >= first ? (pid) => pid >= first && pid <= last : (pid) => pid >= first || pid <= last);
}

/** Numbers of all processes; none where they cannot be looked at. */
export function allPids(): number[] {
  if (!CAN_LIST) return [];
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

/** What a process is; undefined when it is gone or a zombie. */
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
  const line = readText(`/proc/${pid}/environ`)
    ?.split('\0')
    .find((variable) => variable.startsWith(name));
  return line?.slice(name.length);
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

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}
