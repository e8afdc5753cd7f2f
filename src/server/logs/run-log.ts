import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { AbilityError } from '../../contracts/problem.js';
import type { RecruitmentResult, RunLogLine } from '../../contracts/routing.js';
import { diskReason, isNoRoom, unlessAbsent } from '../../disk/disk-errors.js';
import { parseJson } from '../../disk/read-json.js';
import { checkRunId } from '../../rules/sessions/session-refusals.js';
import { attempt } from '../../text/attempt.js';
import type { ProjectPaths } from '../project-paths.js';
import { makeSystemFolder } from '../runtime/runtime-file.js';

export const RUN_FILES = { log: 'runlog.jsonl', request: 'request.json' } as const;

export interface NewRun {
  /** Generated, or chosen by the caller. */
  id: string;
  /** SHA-256 of the canonical request; compared with that of another request with the same id. */
  request: string;
  /** Becomes the first line. */
  recruitment: RecruitmentResult;
}

interface BegunRun {
  log: RunLog;
  /** False if the same request began the run earlier; it then continues or has ended. */
  isNew: boolean;
}

/**
 * Begins the log of a run before all else. Its folder appears atomically with the first line and never replaces
 * another: of two processes that begin the same run, one succeeds. Source: R-004-16; C-47. @throws AbilityError
 * `usage.invalid` for an invalid id; `runlog.key_conflict` if another has it; `runlog.write_failed`.
 */
export function beginRun(paths: Pick<ProjectPaths, 'system' | 'runs'>, run: NewRun): BegunRun {
  const folder = join(paths.runs, checkRunId(run.id));
  const log = new RunLog(folder);
  const own = join(paths.runs, `.${randomUUID()}`);
  try {
    makeSystemFolder(paths);
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, RUN_FILES.request), `${JSON.stringify({ digest: run.request })}\n`);
    writeFileSync(join(own, RUN_FILES.log), lineOf('recruitment', null, { ...run.recruitment }));
    renameSync(own, folder);
    return { log, isNew: true };
  } catch (error) {
    // The caller reports the earlier error. Leftovers are removed with old runs.
    attempt(() => rmSync(own, { recursive: true, force: true }));
    const { code, syscall } = error as NodeJS.ErrnoException;
    const isTaken = syscall === 'rename' && (code === 'ENOTEMPTY' || code === 'EEXIST');
    if (!isTaken) throw writeFailed(folder, error);
    refuseOther(folder, run);
    return { log, isNew: false };
  }
}

/** @throws AbilityError `runlog.key_conflict` if the digest beside the log is of another request. */
function refuseOther(folder: string, { id, request }: NewRun): void {
  let held: unknown;
  try {
    held = (JSON.parse(readFileSync(join(folder, RUN_FILES.request), 'utf8')) as { digest?: unknown }).digest;
  } catch (error) {
    throw writeFailed(folder, error);
  }
  if (held === request) return;
  throw new AbilityError({
    code: 'runlog.key_conflict',
    message: `The id ${id} already belongs to a run with another request`,
    suggestion: 'Choose another id, or leave it out.',
  });
}

/** `runlog.jsonl`: a request's progress in plain words, a line each. Source: R-004-16 to R-004-18; C-35. */
export class RunLog {
  readonly file: string;

  constructor(readonly folder: string) {
    this.file = join(folder, RUN_FILES.log);
  }

  /**
   * Adds a line: lines of several processes never mix. Does not recreate a removed log. @param step null: the whole
   * run. @throws AbilityError `runlog.write_failed`.
   */
  append(kind: Exclude<RunLogLine['kind'], 'recruitment'>, step: string | null, payload: object): void {
    try {
      appendLine(this.file, lineOf(kind, step, payload));
    } catch (error) {
      throw writeFailed(this.folder, error);
    }
  }

  /** All lines, except a torn one. @throws the error of the file system if the log is missing. */
  read(): RunLogLine[] {
    return readFileSync(this.file, 'utf8').split('\n').flatMap(parsedLine);
  }
}

function lineOf(kind: RunLogLine['kind'], step: string | null, payload: object): string {
  const line = { ts: Date.now() / 1000, kind, step, payload } satisfies Record<keyof RunLogLine, unknown>;
  return `${JSON.stringify(line)}\n`;
}

function parsedLine(text: string): RunLogLine[] {
  return [parseJson<RunLogLine>(text) ?? []].flat();
}

/** The system keeps single appended writes apart. Ends a line torn by a full disk first. */
function appendLine(file: string, line: string): void {
  const handle = openSync(file, constants.O_RDWR | constants.O_APPEND);
  try {
    const bytes = Buffer.from(isTorn(handle) ? `\n${line}` : line);
    const written = writeSync(handle, bytes);
    if (written < bytes.length) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
  } finally {
    closeSync(handle);
  }
}

/** Another process may be about to write the rest of the last line. */
const WRITING_MS = 5;

function isTorn(handle: number): boolean {
  if (endsLine(handle)) return false;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WRITING_MS);
  return !endsLine(handle);
}

function endsLine(handle: number): boolean {
  const { size } = fstatSync(handle);
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(handle, last, 0, 1, size - 1) === 1 && last[0] === 0x0a);
}

function writeFailed(folder: string, cause: unknown): AbilityError {
  const message = `The log of the run in ${folder} could not be written: ${diskReason(cause)}`;
  const suggestion = isNoRoom(cause)
    ? 'Make room on the disk, and ask again.'
    : 'Check the permissions of .system/runs.';
  return new AbilityError({ code: 'runlog.write_failed', message, suggestion }, { cause });
}

/**
 * Removes logs of runs unchanged for `keepMs`, and folders of runs that never began. @param now milliseconds since
 * 1970. @returns the number removed. @throws the error of the file system.
 */
export function removeOldRuns(runs: string, now: number, keepMs: number): number {
  const old = unlessAbsent(() => readdirSync(runs), []).filter(
    (name) => now - lastUsed(join(runs, name), now) > keepMs,
  );
  for (const name of old) rmSync(join(runs, name), { recursive: true, force: true });
  return old.length;
}

/** Time of the last append; without a log, the folder's creation. Other files count as new, so they stay. */
function lastUsed(folder: string, now: number): number {
  const made = lstatSync(folder, { throwIfNoEntry: false });
  if (!made?.isDirectory()) return now;
  return lstatSync(join(folder, RUN_FILES.log), { throwIfNoEntry: false })?.mtimeMs ?? made.mtimeMs;
}
