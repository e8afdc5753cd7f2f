import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unlessAbsent } from '../../disk/disk-errors.js';

export type Link = (from: string, to: string) => void;

/** Name of the content's file in a folder that stands for the file. */
const INSIDE = 'holder';

/**
 * Creates a file atomically with all its content, and never replaces another. Without hard links (vfat, some
 * network and FUSE file systems) a folder that contains the file gets the name: like a link, renaming a folder
 * replaces nothing that has content. @returns false if the name is taken. @throws the error of the file system.
 */
export function createExclusively(path: string, content: string, link: Link = linkSync): boolean {
  const own = `${path}.${randomUUID()}`;
  try {
    writeFileSync(own, content);
    link(own, path);
    return true;
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    // A network file system may lose the reply to a link that succeeded; its retry then finds the name taken.
    if (code === 'EEXIST') return statSync(own).nlink === 2;
    if (syscall !== undefined && syscall !== 'link') throw error;
    return createAsFolder(path, content, error);
  } finally {
    rmSync(own, { force: true });
  }
}

/** Content of an exclusively created file; undefined if there is none. @throws the error of the file system. */
export function readCreated(path: string): string | undefined {
  return unlessAbsent(() => readFileSync(fileOf(path), 'utf8'), undefined);
}

/** @throws the error of the file system if the path does not exist. */
export function fileOf(path: string): string {
  return statSync(path).isDirectory() ? join(path, INSIDE) : path;
}

/** Removes an exclusively created file atomically; a missing one is fine. */
export function removeCreated(path: string): void {
  const away = `${path}.${randomUUID()}`;
  try {
    renameSync(path, away);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  rmSync(away, { recursive: true, force: true });
}

function createAsFolder(path: string, content: string, noLink: unknown): boolean {
  if (existsSync(path)) return false;
  const own = `${path}.${randomUUID()}`;
  try {
    mkdirSync(own);
    writeFileSync(join(own, INSIDE), content);
    renameSync(own, path);
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOTEMPTY' || code === 'ENOTDIR') return false;
    const first = noLink instanceof Error ? noLink.message : String(noLink);
    const reason = `the file system has no hard links (${first}) and does not rename folders (${message})`;
    throw Object.assign(new Error(reason, { cause: noLink }), { code });
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}
