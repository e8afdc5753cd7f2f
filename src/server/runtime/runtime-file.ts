import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { AbilityError } from '../../contracts/problem.js';
import type { RuntimeFile } from '../../contracts/runtime.js';
import { isNoRoom, unlessAbsent } from '../../disk/disk-errors.js';
import { readJson } from '../../disk/read-json.js';
import { writeWhole } from '../../disk/write-files.js';
import { type LockHolder, livingHolder } from '../processes/lock.js';
import { isVisible, isWorking, type ProcessMark } from '../processes/processes.js';
import type { ProjectPaths } from '../project-paths.js';

/** Undefined if the file is missing or unreadable. */
export function readRuntimeFile(paths: ProjectPaths): RuntimeFile | undefined {
  const file = readJson<RuntimeFile>(paths.runtimeFile);
  return file?.format === 1 ? file : undefined;
}

/** The runtime's file while its process runs; on another host or namespace, while it holds the lock. */
export function readLivingRuntime(paths: ProjectPaths): RuntimeFile | undefined {
  const file = readRuntimeFile(paths);
  if (!file) return undefined;
  if (isVisible(file)) return isWorking(file) ? file : undefined;
  return holdsLock(paths, file) ? file : undefined;
}

/** True if the lock cannot be read: to assume a living runtime is the safe mistake. */
function holdsLock(paths: ProjectPaths, file: RuntimeFile): boolean {
  try {
    const holder = livingHolder(paths.runtimeLock);
    return holder !== undefined && isWrittenBy(file, holder);
  } catch (error) {
    if (error instanceof AbilityError) return true;
    throw error;
  }
}

/** Whether this process is still the project's runtime. */
export function isLiving(paths: ProjectPaths, { pid, started }: ProcessMark): boolean {
  const living = readLivingRuntime(paths);
  return living?.pid === pid && living.started === started;
}

export function isWrittenBy(file: RuntimeFile, { pid, started, boot, pids }: LockHolder): boolean {
  return file.pid === pid && file.started === started && file.boot === boot && file.pids === pids;
}

/** Only the process that holds the runtime lock may call it. */
export function writeRuntimeFile(paths: ProjectPaths, file: RuntimeFile): void {
  writeWhole(paths.runtimeFile, `${JSON.stringify(file, null, 2)}\n`);
}

/** The runtime's data, such as keys, belongs in no repository; definitions may be next to it. */
const IGNORED = [
  'keys/',
  'tokens/',
  'store/',
  'shared-stores/',
  'temporal/',
  'implement/',
  'runs/',
  'running/',
  'pinned/',
  'runtime.*',
  'usage.*',
];

/** Other accounts of the machine may not read what tasks did. */
const PRIVATE = ['temporal', 'implement', 'runs'];
/** Folders in which our own links are: copies of scripts, and what calls leave. */
const WITH_LINKS: ReadonlySet<string> = new Set(['pinned', 'calls', 'running']);

/**
 * Also excludes its content from version control. @param deep looks for links in its folders, too, as before a
 * runtime starts. @throws AbilityError `runtime.failed` for a link, through which something else would be written.
 */
export function makeSystemFolder({ system }: Pick<ProjectPaths, 'system'>, deep = false): void {
  mkdirSync(system, { recursive: true });
  refuseLinks(system, deep);
  for (const name of PRIVATE) {
    mkdirSync(join(system, name), { recursive: true, mode: 0o700 });
    if ((statSync(join(system, name)).mode & 0o077) !== 0) chmodSync(join(system, name), 0o700);
  }
  const file = join(system, '.gitignore');
  if (!existsSync(file)) writeFileSync(file, ['.gitignore', ...IGNORED, ''].join('\n'));
}

function refuseLinks(folder: string, deep: boolean, skipped: ReadonlySet<string> = WITH_LINKS): void {
  // None of a folder that another process has just removed.
  for (const entry of unlessAbsent(() => readdirSync(folder, { withFileTypes: true }), [])) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) {
      throw new AbilityError({
        code: 'runtime.failed',
        message: `${path} is a link, which Ability Runtime did not make and does not follow`,
        suggestion: 'Look where it leads, and remove it.',
      });
    }
    if (deep && entry.isDirectory() && !skipped.has(entry.name)) refuseLinks(path, deep, new Set());
  }
}

/** Marks the runtime as needed. Ignores a full disk, which must not block a command. */
export function touchRuntime(paths: ProjectPaths): void {
  try {
    makeSystemFolder(paths);
    closeSync(openSync(paths.touchFile, 'a'));
    const now = new Date();
    utimesSync(paths.touchFile, now, now);
  } catch (error) {
    if (!isNoRoom(error)) throw error;
  }
}
