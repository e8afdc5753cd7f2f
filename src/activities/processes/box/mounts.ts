import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import type { PlanSandbox } from '../../../contracts/plan-operation.js';
import { isInside } from '../../../disk/paths.js';
import { faultOfPath } from '../../../planning/scripts/resolve-confinement.js';
import { attempt } from '../../../text/attempt.js';
import { CallFailure } from '../../call/call-failure.js';

/** A path of the machine as a box sees it. */
export interface Mount {
  /** The place in the box. */
  at: string;
  /** The source, with links resolved. */
  from: string;
  writes?: boolean;
}

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];

/** Without private keys and what names other machines. */
const SETTINGS =
  'alternatives ca-certificates crypto-policies fonts group hosts ld.so.cache ld.so.conf ld.so.conf.d localtime mime.types ' +
  'nsswitch.conf passwd pki/ca-trust pki/tls/certs pki/tls/openssl.cnf ssl/certs ssl/openssl.cnf timezone';

/** @throws CallFailure `sandbox.path` for what is missing, or leads through links to what no box may see. */
export function declaredMounts(root: string, { read, write }: PlanSandbox): Mount[] {
  const mount = (path: string, writes: boolean): Mount => {
    const at = resolve(root, path);
    const from = attempt(() => realpathSync(at));
    const why = from === undefined ? 'is not there' : faultOfPath(realpathSync(root), from, isAbsolute(path));
    if (from !== undefined && why === undefined) return { at, from, writes };
    throw new CallFailure({
      code: 'sandbox.path',
      message: `${path}, which the sandbox may ${writes ? 'write' : 'read'}, ${why}`,
      suggestion: 'Create it where the workers run, or correct the `sandbox`.',
    });
  };
  return [...read.map((path) => mount(path, false)), ...write.map((path) => mount(path, true))];
}

/**
 * Options of bubblewrap for all that a box sees; its root, the project's and /dev cannot be written. @param mounts besides the system
 * folders; of two at one place the later one counts. @param bytes of /tmp, and of /dev/shm.
 */
export function mountOptions(root: string, mounts: readonly Mount[], bytes: number): string[] {
  const system = SYSTEM.filter(existsSync).flatMap((folder) =>
    lstatSync(folder).isSymbolicLink() ? ['--symlink', readlinkSync(folder), folder] : ['--ro-bind', folder, folder],
  );
  const made = new Set<string>(['/tmp']);
  const settings = SETTINGS.split(' ')
    .map((name) => `/etc/${name}`)
    .filter(existsSync)
    .flatMap((path) => [...foldersAbove(path, made), '--ro-bind', path, path]);
  // Also hides a project below a system folder, as in images with /usr/src/app.
  const project = [...foldersAbove(root, made), '--tmpfs', root];
  const temporary = ['--perms', '1777', '--size', String(bytes), '--tmpfs'];
  const devices = ['--proc', '/proc', '--dev', '/dev', ...temporary, '/dev/shm', '--remount-ro', '/dev'];
  // Folders before what is in them.
  const sorted = [...new Map(mounts.map((mount) => [mount.at, mount])).values()].sort((one, other) =>
    one.at < other.at ? -1 : 1,
  );
  const own = sorted
    .filter(({ at, writes }) => writes || isInside(root, at) || !SYSTEM.some((folder) => isInside(folder, at)))
    .flatMap(({ at, from, writes }) => [...foldersAbove(at, made), writes ? '--bind' : '--ro-bind', from, at]);
  return [
    ...system,
    ...settings,
    ...devices,
    ...temporary,
    '/tmp',
    ...project,
    ...own,
    '--remount-ro',
    root,
    '--remount-ro',
    '/',
  ];
}

/**
 * Options that make the folders above a path, which every user may enter; bubblewrap alone makes some that only root may.
 * @param made already, or visible.
 */
function foldersAbove(path: string, made: Set<string>): string[] {
  const folder = dirname(path);
  if (folder === '/' || made.has(folder)) return [];
  made.add(folder);
  return [...foldersAbove(folder, made), '--dir', folder];
}
