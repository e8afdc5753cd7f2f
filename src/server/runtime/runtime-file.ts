import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { AbilityError } from '../../contracts/problem.js';
import type { RuntimeFile } from '../../contracts/runtime.js';
import { type LockHolder, livingHolder } from '../processes/lock.js';
import { isVisible } from '../processes/process-space.js';
import { isWorking, type ProcessMark } from '../processes/processes.js';
import type { ProjectPaths } from '../project-paths.js';

/** Reads what the project's runtime says of itself; undefined when there is none or its file is unreadable. */
export function readRuntimeFile(paths: ProjectPaths): RuntimeFile | undefined {
  try {
    const value = JSON.parse(readFileSync(paths.runtimeFile, 'utf8')) as RuntimeFile;
    return value.format === 1 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The runtime's file, when the process that wrote it still runs; one that cannot be seen does while it holds the lock. */
export function readLivingRuntime(paths: ProjectPaths): RuntimeFile | undefined {
  const file = readRuntimeFile(paths);
  if (!file) return undefined;
  if (isVisible(file)) return isWorking(file) ? file : undefined;
  return holdsLock(paths, file) ? file : undefined;
}

/** Where the lock cannot be read the safe mistake is that it lives. */
function holdsLock(paths: ProjectPaths, file: RuntimeFile): boolean {
  try {
    const holder = livingHolder(paths.runtimeLock);
    return holder !== undefined && isWrittenBy(file, holder);
  } catch (error) {
    if (error instanceof AbilityError) return true;
    throw error;
  }
}

/** Whether this very runtime is still the project's. */
export function isLiving(paths: ProjectPaths, { pid, started }: ProcessMark): boolean {
  const living = readLivingRuntime(paths);
  return living?.pid === pid && living.started === started;
}

/** Whether a runtime's file is that of a certain process. */
export function isWrittenBy(file: RuntimeFile, { pid, started, boot, pids }: LockHolder): boolean {
  return file.pid === pid && file.started === started && file.boot === boot && file.pids === pids;
}

/** Writes a file so that readers see the old content or the new, never a part. */
export function writeWhole(path: string, content: string | Uint8Array, mode?: number): void {
  const own = `${path}.${randomUUID()}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(own, content, { mode: mode ?? 0o666 });
    renameSync(own, path);
  } catch (error) {
    rmSync(own, { force: true });
    throw error;
  }
}

/** Says how the runtime stands. Only the process that holds the runtime lock may. */
export function writeRuntimeFile(paths: ProjectPaths, file: RuntimeFile): void {
  writeWhole(paths.runtimeFile, `${JSON.stringify(file, null, 2)}\n`);
}

/** What the runtime keeps, keys among it, is nobody else's; definitions may lie beside it. */
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

/** Makes the folder of the runtime, and keeps what lies in it out of version control. */
export function makeSystemFolder(paths: Pick<ProjectPaths, 'system'>): void {
  mkdirSync(paths.system, { recursive: true });
  const file = join(paths.system, '.gitignore');
  if (!existsSync(file)) writeFileSync(file, ['.gitignore', ...IGNORED, ''].join('\n'));
}

/** Tells the runtime that somebody is there. A disk without room must not stop a command from asking. */
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

/** Whether an error, or what it was made of, means that the disk or the quota is full. */
export function isNoRoom(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT' || (cause !== undefined && isNoRoom(cause));
}

/** An error of the file system as one of ours, which says what could not be written. */
export function asDiskError(error: unknown, what: string): AbilityError {
  const reason = isNoRoom(error) ? 'the disk is full' : error instanceof Error ? error.message : String(error);
  return new AbilityError(
    {
      code: 'runtime.failed',
      message: `${what} could not be written: ${reason}`,
      suggestion: isNoRoom(error) ? 'Make room on the disk and run the command again.' : 'Check its permissions.',
    },
    { cause: error },
  );
}
