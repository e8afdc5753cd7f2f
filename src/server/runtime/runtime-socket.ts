import { chmodSync, lstatSync, mkdtempSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { attempt } from '../../text/attempt.js';
import type { ProjectPaths } from '../project-paths.js';

/** Longest socket path that every system accepts: macOS has 104 bytes with the terminator, Linux 108. */
const MAX_BYTES = 103;
const NAME = 'runtime.sock';
/** Prefix of the folder of a socket outside the project. */
const APART = 'ability-';

export interface OwnSocket {
  path: string;
  /** Removes the socket, unless another runtime has replaced it. */
  remove(): void;
}

/**
 * Lets a server listen on a Unix socket that only this user can connect to: in `.system/`, or in a temporary
 * folder if that path is too long, taken, or on a file system without sockets. Only for the holder of the runtime
 * lock: an existing socket then belongs to a dead runtime. @param earlier that socket, from the runtime's file.
 * @returns undefined if neither place works.
 */
export async function listenPrivately(
  server: Server,
  { system }: Pick<ProjectPaths, 'system'>,
  earlier: string | undefined,
): Promise<OwnSocket | undefined> {
  if (earlier !== undefined) removeApart(earlier, system);
  const inProject = join(system, NAME);
  if (isFree(inProject)) {
    const own = await listenIn(server, () => mkdtempSync(join(system, 'runtime.')), inProject);
    if (own) return own;
  }
  for (const folder of new Set([tmpdir(), '/tmp'])) {
    const own = await listenIn(server, () => mkdtempSync(join(folder, APART)), undefined);
    if (own) return own;
  }
  return undefined;
}

/** Whether a path is a socket of this user that others cannot connect to. Never throws. */
export function isOwnSocket(path: string): boolean {
  return attempt(() => {
    const status = lstatSync(path);
    return status.isSocket() && status.uid === process.getuid?.() && (status.mode & 0o077) === 0;
  }, false);
}

/** The path is free or has a socket of this user; links, files and others' sockets are left alone. */
function isFree(path: string): boolean {
  try {
    const status = lstatSync(path);
    return status.isSocket() && status.uid === process.getuid?.();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/**
 * Creates the socket in a folder that only this user can enter, so that no other user can ever connect. @param
 * make creates that folder. @param target final path of the socket; undefined: it stays there.
 */
async function listenIn(
  server: Server,
  make: () => string,
  target: string | undefined,
): Promise<OwnSocket | undefined> {
  let folder: string | undefined;
  try {
    folder = make();
    const made = join(folder, NAME);
    if ([made, target ?? made].some((path) => Buffer.byteLength(path) > MAX_BYTES)) return undefined;
    await listen(server, made);
    chmodSync(made, 0o600);
    if (target === undefined) return ownSocket(made, folder);
    renameSync(made, target);
    return ownSocket(target);
  } catch {
    server.close();
    return undefined;
  } finally {
    // Does nothing while the folder contains the socket.
    if (folder !== undefined) removeFolder(folder);
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

function ownSocket(path: string, folder?: string): OwnSocket {
  const { dev, ino } = lstatSync(path);
  return {
    path,
    remove() {
      const now = lstatSync(path, { throwIfNoEntry: false });
      if (now?.dev === dev && now.ino === ino) rmSync(path, { force: true });
      if (folder !== undefined) removeFolder(folder);
    },
  };
}

/** Removes a killed runtime's temporary socket, only if it looks like one of ours. */
function removeApart(path: string, system: string): void {
  const folder = dirname(path);
  if (folder === system || basename(path) !== NAME || !basename(folder).startsWith(APART) || !isOwnSocket(path)) return;
  rmSync(path, { force: true });
  removeFolder(folder);
}

function removeFolder(folder: string): void {
  // Missing or not empty.
  attempt(() => rmdirSync(folder));
}
