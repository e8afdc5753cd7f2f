import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { attempt } from '../../text/attempt.js';

/** Where a process runs. Only processes of one space can look for, and signal, each other by their pid. */
export interface ProcessSpace {
  /** For people: the host or container. */
  host: string;
  /** Identifies one boot of one machine. */
  boot: string;
  pids: string;
  /** The network namespace: processes in it share the loopback. */
  net: string;
}

let own: ProcessSpace | undefined;

/** Parts that the system does not report are assumed to be unique to this host. */
export function ownSpace(): ProcessSpace {
  own ??= {
    host: hostname(),
    boot: bootOf(),
    pids: namespaceOf('pid'),
    net: namespaceOf('net'),
  };
  return own;
}

/** Whether a process can be found by its pid from here. */
export function isVisible(mark: ProcessSpace): boolean {
  const { boot, pids } = ownSpace();
  return mark.boot === boot && mark.pids === pids;
}

/** Whether a loopback address there reaches the same server from here. */
export function sharesLoopback(mark: ProcessSpace): boolean {
  const { boot, net } = ownSpace();
  return mark.boot === boot && mark.net === net;
}

function bootOf(): string {
  return attempt(() => {
    if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  }, `of ${hostname()}`);
}

function namespaceOf(kind: 'pid' | 'net'): string {
  if (process.platform !== 'linux') return 'the only one';
  return attempt(() => {
    // Such as `pid:[4026531836]`.
    const link = readlinkSync(`/proc/self/ns/${kind}`);
    return /\d+/.exec(link)?.[0] ?? link;
  }, `of ${hostname()}`);
}
