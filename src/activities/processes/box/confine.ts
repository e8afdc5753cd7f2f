import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { lchown, readdir } from 'node:fs/promises';
import { constants, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PlanConfinement, PlanProcessLimits } from '../../../contracts/plan-operation.js';
import { reasonOf } from '../../../contracts/problem.js';
import { isExecutable } from '../../../disk/paths.js';
import { defined } from '../../../text/defined.js';
import { CallFailure } from '../../call/call-failure.js';
import type { CallRoom } from '../run-confined.js';
import type { ProcessOutcome } from '../run-process.js';
import { openHostProxy, PROXY_VARIABLES, RELAY, SOCKET_IN_BOX } from './host-proxy.js';
import { withoutInherited } from './inherited.js';
import { declaredMounts, type Mount, mountOptions } from './mounts.js';
import { programFolders } from './program-folders.js';

const run = promisify(execFile);

export interface Confined {
  /** Absolute path of the project, and the working directory. */
  root: string;
  words: readonly string[];
  env: Record<string, string>;
  confinement: PlanConfinement;
  /** Read in the box, besides what its sandbox declares: the pinned copy and its packages. */
  reads?: readonly Mount[];
  /** The folder of the call, which the process may write. */
  room?: Pick<CallRoom, 'folder' | 'fileBytes'>;
  /** Receives what the proxy refused, as lines. */
  report: (line: string) => void;
}

export interface ConfinedCommand {
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Descriptors from 3 on. */
  descriptors: readonly ('ignore' | number)[];
  /** To be called when the process has ended. */
  leave(): Promise<void>;
}

/** In a box whose limits state none. */
const PROCESSES = 256;
/** Of /tmp and of /dev/shm in a box, which are memory. */
const TEMPORARY_BYTES = 1024 ** 3;
/** What the relay of a box takes of its processes: Node's threads. */
const OF_RELAY = 16;

/** Namespaces of a box; `--unshare-user` of bubblewrap needs the worker not to be root. */
const NAMESPACES = ['pid', 'ipc', 'net', 'uts'].map((name) => `--unshare-${name}`);
const BOX = [...NAMESPACES, '--unshare-cgroup-try', '--die-with-parent', '--new-session'];
/** To become another user in the box; that user has no capabilities. */
const OF_ROOT = ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'];
const OF_OTHERS = ['--unshare-user', '--disable-userns', '--cap-drop', 'ALL'];

/**
 * The command that runs words in their box and within their limits. Source: docs/decisions/0034-scripts-in-a-box.md.
 * @throws CallFailure `sandbox.unavailable` for what cannot be kept here, `sandbox.path`.
 */
export async function confine(request: Confined): Promise<ConfinedCommand> {
  const { words, env, room } = request;
  const { sandbox, limits = {} } = request.confinement;
  const user = await userFor(limits, sandbox !== undefined);
  const hasProxy = sandbox !== undefined && sandbox.allowed_hosts.length > 0;
  const processes = sandbox && (limits.processes ?? PROCESSES) + (hasProxy ? OF_RELAY : 0);
  const limited = [...limitWords({ ...limits, processes, fileBytes: sandbox && room?.fileBytes }), ...words];
  if (user && room) await give(room.folder, user);
  if (!sandbox) return { ...commandOf([...become(user), ...limited]), env, descriptors: [], leave: async () => {} };
  await probe(user);
  const declared = declaredMounts(request.root, sandbox);
  if (user) await refuseUnusable(user, request.root, declared, limits.user);
  const mounts: Mount[] = [
    ...programFolders(words, env.PATH, request.root).map((path) => ({ at: path, from: realpathSync(path) })),
    ...(request.reads ?? []),
    ...declared,
    ...(room ? [{ at: room.folder, from: room.folder, writes: true }] : []),
  ];
  const proxy = hasProxy ? await openHostProxy(sandbox.allowed_hosts, request.report) : undefined;
  const relay = proxy ? [process.execPath, '-e', RELAY, '--'] : [];
  if (proxy) {
    mounts.push({ at: SOCKET_IN_BOX, from: proxy.socket, writes: true });
    mounts.push({ at: process.execPath, from: process.execPath });
  }
  const bytes = Math.min(limits.memory ?? TEMPORARY_BYTES, TEMPORARY_BYTES);
  const options = [...mountOptions(request.root, mounts, bytes), '--chdir', request.root];
  return {
    ...commandOf(boxWords(user, options, [...relay, ...limited])),
    env: { ...privateFolders(env), ...(proxy && PROXY_VARIABLES) },
    descriptors: withoutInherited(),
    leave: async () => proxy?.close(),
  };
}

/** The end of a program in a box: bubblewrap reports a signal as an exit code. @param known codes with a meaning. */
export function endInBox(outcome: ProcessOutcome, known: Readonly<Record<string, unknown>> = {}): ProcessOutcome {
  const { ended, exitCode = 0 } = outcome;
  const [signal] = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128) ?? [];
  if (ended !== 'exit' || signal === undefined || Object.hasOwn(known, String(exitCode))) return outcome;
  return { ...outcome, ended: 'signal', exitCode: undefined, signal };
}

interface User {
  uid: number;
  gid: number;
}

function commandOf([command = '', ...args]: readonly string[]): { command: string; args: string[] } {
  return { command, args };
}

function become(user: User | undefined): string[] {
  return user ? [find('setpriv'), `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : [];
}

/** SIGTERM is for the program: bubblewrap would end by it, and all that is in the box with it. */
function boxWords(user: User | undefined, options: readonly string[], words: readonly string[]): string[] {
  const [env, bwrap] = [find('env'), find('bwrap')];
  // Only in a namespace of its own are the processes of this box counted, and not all of the user.
  const counted = user ? [find('unshare'), '--user', '--map-current-user'] : [];
  const inside = [...become(user), ...counted, env, '--default-signal=TERM', ...words];
  return [env, '--ignore-signal=TERM', bwrap, ...BOX, ...(user ? OF_ROOT : OF_OTHERS), ...options, '--', ...inside];
}

type Limits = { [Name in 'memory' | 'cpu' | 'processes' | 'fileBytes']?: number | undefined };

function limitWords({ memory, cpu, processes, fileBytes }: Limits): string[] {
  // Not the address space, of which Node reserves far more than it uses. First SIGXCPU, a second later SIGKILL.
  const limits = { data: memory, cpu: cpu && `${cpu}:${cpu + 1}`, nproc: processes, fsize: fileBytes };
  const options = Object.entries(defined(limits)).map(([name, value]) => `--${name}=${value}`);
  return options.length === 0 ? [] : [find('prlimit'), '--core=0', ...options];
}

/** HOME and TMPDIR of the worker are not in the box. */
function privateFolders(env: Record<string, string>): Record<string, string> {
  const own = ['HOME', 'TMPDIR'].filter((name) => env[name] === undefined || env[name] === process.env[name]);
  return { ...env, ...Object.fromEntries(own.map((name) => [name, '/tmp'])) };
}

/** Undefined: the worker's own. A box never runs as root. @throws CallFailure `sandbox.unavailable`. */
async function userFor({ user }: PlanProcessLimits, isBox: boolean): Promise<User | undefined> {
  if (process.getuid?.() !== 0) {
    if (user === undefined || user === userInfo().username) return undefined;
    throw unavailable(`The worker is not root, so nothing can run as ${user}`, 'Run the worker as that user.');
  }
  const name = user ?? (isBox ? 'nobody' : undefined);
  if (name === undefined) return undefined;
  const known = users.get(name) ?? (await identityOf(name));
  users.set(name, known);
  return known;
}

const users = new Map<string, User>();

async function identityOf(name: string): Promise<User> {
  const ask = async (option: string): Promise<number> => Number((await run('id', [option, '--', name])).stdout);
  const [uid, gid] = await Promise.all([ask('-u'), ask('-g')]).catch((error: unknown) => {
    throw unavailable(`This machine has no user ${name}`, 'Create it, or name another in `limits.user`.', error);
  });
  if (uid > 0 && gid > 0) return { uid, gid };
  throw unavailable(`${name} is root, or of its group`, 'Name another user in `limits.user`.');
}

/** Gives all that is in a folder to a user. */
async function give(folder: string, { uid, gid }: User): Promise<void> {
  await lchown(folder, uid, gid);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), uid, gid);
  }
}

/** Whether boxes work here, by user; asked again after a failure. */
const probes = new Map<number | undefined, Promise<unknown>>();

async function probe(user: User | undefined): Promise<void> {
  const words = [...limitWords({ processes: PROCESSES }), 'true'];
  const { command, args } = commandOf(boxWords(user, mountOptions('/tmp', [], TEMPORARY_BYTES), words));
  const asked = probes.get(user?.uid) ?? run(command, args, { timeout: 10_000, cwd: '/' });
  probes.set(user?.uid, asked);
  await asked.catch((error: unknown) => {
    probes.delete(user?.uid);
    const said = (error as { stderr?: string }).stderr?.trim() || reasonOf(error);
    const needs = 'It needs bubblewrap 0.8 and user namespaces; a container may forbid these. See docs/scripts.md.';
    throw unavailable(`This machine cannot make a sandbox: ${said}`, needs, error);
  });
}

/** Declared paths that another user may use in a box, by user and path; what changes later is an error of the script. */
const usable = new Set<string>();
const PRINT_UNUSABLE = 'while [ $# -gt 0 ]; do test "$1" "$2" || echo "$2"; shift 2; done';

/** @throws CallFailure `sandbox.path` where the user of a root worker's box has no right to a declared path. */
async function refuseUnusable(user: User, root: string, declared: readonly Mount[], name = 'nobody'): Promise<void> {
  const keyOf = ({ from, writes }: Mount): string => [user.uid, user.gid, writes, from].join(' ');
  const asked = declared.filter((mount) => !usable.has(keyOf(mount)));
  if (asked.length === 0) return;
  const tests = asked.flatMap(({ at, writes }) => [writes ? '-w' : '-r', at]);
  const options = mountOptions(root, declared, TEMPORARY_BYTES);
  const { command, args } = commandOf(boxWords(user, options, ['sh', '-c', PRINT_UNUSABLE, 'sh', ...tests]));
  const { stdout } = await run(command, args, { timeout: 10_000, cwd: '/' }).catch((error: unknown) => {
    throw unavailable(`What the sandbox declares could not be tried: ${reasonOf(error)}`, 'Run it again.', error);
  });
  const [first] = stdout.split('\n').filter(Boolean);
  if (first === undefined) return void asked.map(keyOf).forEach(usable.add, usable);
  const { writes } = asked.find(({ at }) => at === first) ?? {};
  const message = `${first} is declared in the sandbox, and ${name}, as whom a root worker runs a box, may not ${writes ? 'write' : 'read'} it`;
  const suggestion =
    'Give that user the right, or name the owner of the path in `limits.user`; or run the worker as another user than root.';
  throw new CallFailure({ code: 'sandbox.path', message, suggestion });
}

/** @throws CallFailure `sandbox.unavailable`. */
function find(program: string): string {
  const folders = (process.env.PATH ?? '').split(':');
  const file = folders.map((folder) => join('/', folder, program)).find(isExecutable);
  if (file !== undefined) return file;
  throw unavailable(`This machine has no program ${program}`, 'Install bubblewrap and util-linux, which are of Linux.');
}

function unavailable(message: string, suggestion: string, cause?: unknown): CallFailure {
  return new CallFailure({ code: 'sandbox.unavailable', message, suggestion }, { cause });
}
