import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Tombstone } from '../../contracts/deletion.js';
import { AbilityError } from '../../contracts/problem.js';
import { RECORD_FILES, type TaskRecord } from '../../contracts/record.js';
import { diskReason } from '../../disk/disk-errors.js';
import { readJson } from '../../disk/read-json.js';
import { type Content, FileWriter, inFolder, writeWhole } from '../../disk/write-files.js';
import type { MaskedSecrets } from '../../planning/secrets/credentials.js';
import { CHILDREN, isDirect, isTaskId, recordPath, rootOf } from '../../rules/tasks/task-ids.js';
import { attempt } from '../../text/attempt.js';
import { maskRecord } from './mask-record.js';
import { renderRecord } from './render-record.js';

/** Maximum called tasks read at the end of a task; further calls are only in their own records. */
const MAX_CALLED = 200;

/** Most tasks end sooner: then one record is written and not two. Milliseconds. */
const SOON_MS = 200;
/** A worker that made a folder this long ago and has written nothing to it is gone. Milliseconds. */
const LOST_MS = 2000;

/** The records of a project: one folder a task, named after its key. Source: R-000-70, C-13. */
export class RecordFolder {
  private readonly writer = new FileWriter();
  /** Records whose folders exist, and which are written in a moment unless their tasks end before. */
  private readonly waiting = new Map<string, { record: TaskRecord; timer: NodeJS.Timeout }>();

  /** @param share where others read the records; omitted: nowhere. @param secrets to mask; omitted: none. */
  constructor(
    private readonly folder: string,
    private readonly share?: TaskShare,
    private readonly secrets?: (environment: string) => MaskedSecrets,
  ) {}

  /** Undefined without a folder: a direct run has one only if preflight made it. Source: R-000-78. */
  pathOf(task: string): string | undefined {
    if (!isTaskId(task)) return undefined;
    if (!isDirect(task)) return join(this.folder, ...recordPath(task));
    return existsSync(join(this.folder, ...recordPath(rootOf(task))))
      ? join(this.folder, ...recordPath(task))
      : undefined;
  }

  logsOf(task: string): string | undefined {
    const path = this.pathOf(task);
    return path && join(path, RECORD_FILES.logs);
  }

  /** Log of a call for readers elsewhere; undefined where nothing is shared or no record exists. */
  sharedLog(task: string, step: string): SharedLog | undefined {
    return isDirect(task) ? undefined : this.share?.logOf(task, step);
  }

  /** The local record of a task, or the one that another machine has shared. */
  async find(task: string): Promise<TaskRecord | undefined> {
    return this.read(task) ?? (isDirect(task) ? undefined : this.share?.read(task));
  }

  /** Removes the shared copy of a task. @returns whether one existed. @throws AbilityError `store.not_shared`. */
  async unshare(task: string): Promise<boolean> {
    return (await this.share?.remove(task)) ?? false;
  }

  /**
   * Makes the folder of a record at once. @param runs the task may end in a moment; until then only its folder exists.
   * @returns false if the folder exists and is in use. @throws AbilityError `record.write_failed`, leaving no folder.
   */
  create(record: TaskRecord, runs = false): boolean {
    const task = record.task_key;
    const path = join(this.folder, ...recordPath(task));
    try {
      // The folder of all records is nearly always there.
      inFolder(path, () => mkdirSync(path, { mode: 0o700 }));
      // Made now, so that calls need not check for it.
      mkdirSync(join(path, RECORD_FILES.logs));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw writeFailed(path, error);
      if (!isUnused(path)) return false;
    }
    if (runs) {
      this.waiting.set(task, { record, timer: setTimeout(() => this.writeWaiting(task, path), SOON_MS) });
      return true;
    }
    try {
      this.write(path, record);
    } catch (error) {
      rmSync(path, { recursive: true, force: true });
      throw writeFailed(path, error);
    }
    return true;
  }

  /** Writes a record that waits to be written, for who reads it now. Source: decision 0015. */
  settle(task: string): void {
    if (this.waiting.has(task)) this.writeWaiting(task, join(this.folder, ...recordPath(task)));
  }

  private writeWaiting(task: string, path: string): void {
    const record = this.take(task);
    // Another process may have ended or deleted the task.
    if (!record || !isUnwritten(path)) return;
    // The end of the task writes it again, and reports what is wrong then.
    attempt(() => this.write(path, record));
  }

  /** The record of a task that is not written yet, and will not be. */
  private take(task: string): TaskRecord | undefined {
    const waits = this.waiting.get(task);
    clearTimeout(waits?.timer);
    this.waiting.delete(task);
    return waits?.record;
  }

  /** Removes the record of a task that was not formed. Never throws. */
  forget(task: string): void {
    this.take(task);
    const path = this.pathOf(task);
    if (path !== undefined) rmSync(path, { recursive: true, force: true });
  }

  /** Replaces the record of a task that was never run. @throws AbilityError `record.write_failed`. */
  replace(record: TaskRecord): void {
    this.take(record.task_key);
    const path = this.pathOf(record.task_key) as string;
    try {
      this.write(path, record);
    } catch (error) {
      throw writeFailed(path, error);
    }
  }

  /** The record of a task; undefined if missing or unreadable. */
  read(task: string): TaskRecord | undefined {
    const waits = this.waiting.get(task);
    if (waits) return waits.record;
    const path = this.pathOf(task);
    return path && existsSync(path) ? readRecord(join(path, RECORD_FILES.json)) : undefined;
  }

  /** Does not block. @param signal aborts all remaining writes. @throws AbilityError `record.write_failed`. */
  async finish(whole: TaskRecord, signal?: AbortSignal): Promise<void> {
    const record = this.masked(whole);
    this.take(record.task_key);
    const path = this.pathOf(record.task_key) as string;
    try {
      // The JSON is replaced last, so that a complete record has all its files.
      const text: Content = [join(path, RECORD_FILES.text), renderRecord(record)];
      await this.writer.writeTogether([text, [join(path, RECORD_FILES.json), jsonOf(record)]], signal);
    } catch (error) {
      throw writeFailed(path, error);
    } finally {
      await this.shareOf(record)?.ended(record);
    }
  }

  /** Tools of the tasks that a task called, as far as their records are on this machine. */
  toolsOfCalled(task: string): string[] {
    const path = this.pathOf(task);
    if (path === undefined) return [];
    // Tasks called by a called task have their records in its own folder, not in CHILDREN.
    const records = task.includes('/')
      ? recordsInside(path, MAX_CALLED)
      : recordsBelow(join(path, CHILDREN), MAX_CALLED);
    return records.flatMap((file) => readRecord(file)?.used?.tools_used ?? []);
  }

  /** The tombstone of a deleted task; undefined if the task was not deleted on this machine. */
  readTombstone(task: string): Tombstone | undefined {
    const path = this.pathOf(task);
    const file = path && join(path, RECORD_FILES.deleted);
    // The error of a missing file costs more than the check.
    if (!file || !existsSync(file)) return undefined;
    return readJson<Tombstone>(file);
  }

  /**
   * Replaces a record, its logs and the records of called tasks by a tombstone. @returns whether a record existed,
   * now or at an earlier attempt. @throws AbilityError `record.write_failed`.
   */
  bury(tombstone: Tombstone): boolean {
    this.take(tombstone.task_key);
    const path = join(this.folder, tombstone.task_key);
    try {
      // Through a link, the removal would reach another folder.
      if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(path);
      const wasThere = existsSync(path);
      writeWhole(join(path, RECORD_FILES.deleted), `${JSON.stringify(tombstone, null, 2)}\n`);
      for (const name of readdirSync(path)) {
        if (name !== RECORD_FILES.deleted) rmSync(join(path, name), { recursive: true, force: true });
      }
      return wasThere;
    } catch (error) {
      throw writeFailed(path, error);
    }
  }

  /** Records that expire are not shared. */
  private shareOf({ task_key }: TaskRecord): TaskShare | undefined {
    return isDirect(task_key) ? undefined : this.share;
  }

  private masked(record: TaskRecord): TaskRecord {
    return this.secrets ? maskRecord(record, this.secrets) : record;
  }

  private write(path: string, whole: TaskRecord): void {
    const record = this.masked(whole);
    this.shareOf(record)?.planned(record);
    writeWhole(join(path, RECORD_FILES.json), jsonOf(record), 0o600);
    writeWhole(join(path, RECORD_FILES.text), renderRecord(record), 0o600);
  }
}

/** Whether a folder is of an attempt that was lost: no one has written to it since, no record, no log and no called task. */
function isUnused(path: string): boolean {
  if (!isUnwritten(path) || existsSync(join(path, CHILDREN))) return false;
  if ((namesIn(join(path, RECORD_FILES.logs))?.length ?? 0) > 0) return false;
  return Date.now() - lstatSync(path).mtimeMs > LOST_MS;
}

/** Whether a folder exists, and has nothing but logs and the records of called tasks. */
function isUnwritten(path: string): boolean {
  return namesIn(path)?.every((name) => name === RECORD_FILES.logs || name === CHILDREN) ?? false;
}

function namesIn(path: string): string[] | undefined {
  return attempt(() => readdirSync(path));
}

function readRecord(file: string): TaskRecord | undefined {
  const value = readJson<TaskRecord>(file);
  return value?.format === 1 ? value : undefined;
}

/** The topmost records below a folder; deeper ones are listed in these. */
function recordsBelow(folder: string, max: number): string[] {
  const own = join(folder, RECORD_FILES.json);
  return existsSync(own) ? [own] : recordsInside(folder, max);
}

function recordsInside(folder: string, max: number): string[] {
  const found: string[] = [];
  for (const entry of existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []) {
    if (found.length >= max) break;
    if (entry.isDirectory()) found.push(...recordsBelow(join(folder, entry.name), max - found.length));
  }
  return found;
}

export function jsonOf(record: TaskRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

function writeFailed(path: string, cause: unknown): AbilityError {
  return new AbilityError(
    {
      code: 'record.write_failed',
      message: `The record in ${path} could not be written: ${diskReason(cause)}`,
      suggestion: 'Make room on the disk or fix its permissions.',
    },
    { cause },
  );
}

export interface SharedLog {
  /** Appends masked lines; readers elsewhere see them a few seconds later. */
  append(text: string): void;
  /** Shares the newly appended text. */
  end(): void;
}

/** Shares tasks with readers on other machines. Failures are logged and counted; no task fails. */
export interface TaskShare {
  /** Shares a record without waiting for it. */
  planned(record: TaskRecord): void;
  /** Shares the record of an ended task, after everything shared before; waits for it briefly. */
  ended(record: TaskRecord): Promise<void>;
  logOf(task: string, step: string): SharedLog;
  /** The record that any machine has shared; undefined if none exists or the store cannot be read. */
  read(task: string): Promise<TaskRecord | undefined>;
  /** Includes called tasks. @returns whether any copy existed. @throws AbilityError `store.not_shared`. */
  remove(task: string): Promise<boolean>;
}
