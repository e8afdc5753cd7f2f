import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { attempt } from '../../text/attempt.js';

/** Distinguishes a process from a later one with the same pid. */
export interface ProcessMark {
  pid: number;
  /** Start time as the system reports it: clock ticks since boot on Linux, a date elsewhere. */
  started: string;
}

/** Undefined if the process has exited or is a zombie. */
export function markOf(pid: number): ProcessMark | undefined {
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Whether the very process that was marked still runs. */
export function isAlive(mark: ProcessMark): boolean {
  return markOf(mark.pid)?.started === mark.started;
}

/** False once killed, unlike {@link isAlive}, which is true until the process has closed its files. */
export function isWorking(mark: ProcessMark): boolean {
  if (process.platform !== 'linux') return isAlive(mark);
  const fields = statOnLinux(mark.pid);
  return fields !== undefined && startOf(fields) === mark.started && !isDying(fields);
}

export function ownMark(): ProcessMark {
  return markOf(process.pid) ?? { pid: process.pid, started: 'unknown' };
}

/** Processes of this user that were given these arguments, whole and one after the other. */
export function findProcesses(words: readonly string[]): ProcessMark[] {
  const commands = process.platform === 'linux' ? commandsOnLinux() : commandsByPs();
  const own = process.getuid?.();
  return commands
    .filter(({ pid, owner, command }) => pid !== process.pid && owner === own && command.includes(joined(words)))
    .flatMap(({ pid }) => markOf(pid) ?? []);
}

/** The argument after `word`; only on Linux, since elsewhere arguments cannot be separated. */
export function argumentAfter(pid: number, word: string): string | undefined {
  return attempt(() => {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const at = words.indexOf(word);
    return at < 0 ? undefined : words[at + 1];
  });
}

/** Signals a process or, with a negative pid, its group; does nothing if it has exited. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Sends SIGTERM and, after `graceMs`, SIGKILL. Resolves when the process has exited. */
export async function stopProcess(mark: ProcessMark, graceMs: number): Promise<void> {
  if (!isAlive(mark)) return;
  signalProcess(mark.pid, 'SIGTERM');
  const deadline = Date.now() + graceMs;
  while (isAlive(mark)) {
    if (Date.now() > deadline) signalProcess(mark.pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function startedOnLinux(pid: number): string | undefined {
  const fields = statOnLinux(pid);
  return fields && startOf(fields);
}

/** The kernel's statistics of a process, from field 3 on; undefined if it does not exist. */
function statOnLinux(pid: number): string[] | undefined {
  return attempt(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may contain spaces; the fields after it do not.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  });
}

/** Field 3 is the state, field 22 the start. */
function startOf(fields: readonly string[]): string | undefined {
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

/** `PF_EXITING` of the kernel's flags, and the bit of SIGKILL among the pending signals. */
const EXITING = 0x4;
const KILLED = 0x100;

/** Field 9 holds the flags, field 31 the signals that are pending. Source: proc_pid_stat(5). */
function isDying(fields: readonly string[]): boolean {
  return (Number(fields[6]) & EXITING) !== 0 || (Number(fields[28]) & KILLED) !== 0;
}

function startedByPs(pid: number): string | undefined {
  return attempt(() => {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const [state = '', ...started] = line.split(/\s+/);
    return state === '' || state.startsWith('Z') ? undefined : started.join(' ');
  });
}

interface RunningCommand {
  pid: number;
  owner: number;
  /** Its arguments, as {@link joined} writes them. */
  command: string;
}

/** Separator between the arguments of a command, as the system reports them. */
const BORDER = process.platform === 'linux' ? '\0' : ' ';

/** With a border at both ends, so that only whole arguments are found. */
function joined(words: readonly string[]): string {
  return `${BORDER}${words.join(BORDER)}${BORDER}`;
}

function commandsOnLinux(): RunningCommand[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      return attempt(() => {
        const command = `${BORDER}${readFileSync(`/proc/${name}/cmdline`, 'utf8')}`;
        return [{ pid: Number(name), owner: statSync(`/proc/${name}`).uid, command }];
      }, []);
    });
}

function commandsByPs(): RunningCommand[] {
  const options = { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 } as const;
  const lines = execFileSync('ps', ['-axo', 'pid=,uid=,args='], options);
  return lines.split('\n').flatMap((line) => {
    const [, pid, owner, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid ? [{ pid: Number(pid), owner: Number(owner), command: joined([command]) }] : [];
  });
}

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
