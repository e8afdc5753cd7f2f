import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FILE_LIMITS, type FileValue, isFileValue, type StepFiles } from '../../contracts/files.js';
import type { PlanFiles } from '../../contracts/plan.js';
import { AbilityError, reasonOf } from '../../contracts/problem.js';
import { formatBytes } from '../../text/byte-size.js';
import { mediaTypeOf, safeFileName } from '../../text/file-name.js';
import { CallFailure } from '../call/call-failure.js';
import type { CallFolders, FileSource, FileStore } from './file-store.js';

export interface FileDependencies {
  store: FileStore;
  folders: CallFolders;
}

export interface FileScope {
  /** Key of the task, or of its root task: it owns the kept files. */
  task: string;
  /** Digests of the files of the task. */
  files: readonly string[];
  limits: PlanFiles | undefined;
  /** Maximum bytes of the call's files; undefined: all that the task may have. */
  room: number | undefined;
  signal: AbortSignal;
}

export interface NewFile {
  name: string;
  /** Undefined: derived from the file name. */
  mediaType?: string | undefined;
}

/**
 * The input copies and outputs of one attempt. A value is no proof: only files whose digests the workflow sent are
 * handed out, each copy verified while it is made. Source: docs/decisions/0013-files-between-steps.md.
 */
export class CallFiles {
  readonly made: StepFiles = {};
  private readonly allowed: ReadonlySet<string>;
  private readonly copies = new Map<string, Promise<string>>();
  private opened: Promise<string> | undefined;
  private taken = 0;

  constructor(
    private readonly dependencies: FileDependencies,
    private readonly scope: FileScope,
  ) {
    this.allowed = new Set(scope.files);
  }

  /** Path of the call's folder, created on first use. */
  folder(): Promise<string> {
    this.opened ??= this.dependencies.folders.open();
    return this.opened;
  }

  /**
   * Path of a read-only copy. @throws CallFailure `file.not_of_task`; AbilityError `store.not_shared`, `store.full`.
   */
  copyOf(file: FileValue): Promise<string> {
    this.refuseForeign(file);
    const key = `${file.$file}/${file.name}`;
    const earlier = this.copies.get(key);
    if (earlier) return earlier;
    const copy = this.makeCopy(file, this.copies.size);
    this.copies.set(key, copy);
    copy.catch(() => {});
    return copy;
  }

  /**
   * @throws CallFailure `file.too_large`, `file.missing`; `store.full`, `store.not_shared` and `timeout.call` marked
   * as arrived: files are kept only after the call.
   */
  async keep(source: FileSource, { name, mediaType }: NewFile): Promise<FileValue> {
    const shown = safeFileName(name);
    const { max, maxOfOne, maxOfAll, room } = this;
    const { task, signal } = this.scope;
    const kept = await this.dependencies.store.keep(source, task, max, signal).catch((error: unknown) => {
      if (!(error instanceof AbilityError) || error.code !== 'file.too_large') throw notKept(shown, error, signal);
      throw max === maxOfOne ? tooLarge(shown, maxOfOne) : noRoom(shown, room, maxOfAll);
    });
    this.taken += kept.bytes;
    const value = { $file: kept.sha256, name: shown, bytes: kept.bytes, media_type: mediaTypeOf(shown) };
    const typed = { ...value, media_type: mediaType ?? value.media_type };
    return isFileValue(typed) ? typed : value;
  }

  /** Keeps a stream, such as the body of an answer, after writing it to the folder of the call. */
  async spool(source: AsyncIterable<Uint8Array>, file: NewFile): Promise<FileValue> {
    const path = join(await this.folder(), `spool-${randomUUID()}`);
    const { max } = this;
    let bytes = 0;
    const limited = async function* (): AsyncIterable<Uint8Array> {
      for await (const chunk of source) {
        bytes += chunk.length;
        // Writes just beyond the maximum, so that `keep` refuses it like any other file.
        yield chunk;
        if (bytes > max) return;
      }
    };
    const { signal } = this.scope;
    try {
      await pipeline(limited(), createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal }).catch(
        (error: unknown) => {
          throw isOfDisk(error) ? notKept(file.name, notCopied(file.name, error), signal) : error;
        },
      );
      return await this.keep(async () => createReadStream(path), file);
    } finally {
      await rm(path, { force: true });
    }
  }

  /** Removes the copies and everything that the call left in its folder. */
  async close(): Promise<void> {
    const folder = await this.opened?.catch(() => undefined);
    // What remains is removed at the next start of the worker.
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }

  /** Bytes that any one file may have. */
  get maxOfOne(): number {
    return this.scope.limits?.file_bytes ?? FILE_LIMITS.file_bytes;
  }

  private get maxOfAll(): number {
    return this.scope.limits?.task_bytes ?? FILE_LIMITS.task_bytes;
  }

  /** Bytes that all further files of the call may have. */
  get room(): number {
    return Math.max(0, (this.scope.room ?? this.maxOfAll) - this.taken);
  }

  private get max(): number {
    return Math.min(this.maxOfOne, this.room);
  }

  private refuseForeign({ $file, name }: FileValue): void {
    if (this.allowed.has($file)) return;
    throw new CallFailure(
      {
        code: 'file.not_of_task',
        message: `${name} (${$file.slice(0, 12)}) is not a file of this task: the task neither made nor received a file with that digest`,
        details: { file: $file, name },
        suggestion: 'Pass it from `steps.ID.files`, or pass it as an input whose schema has `{ format: file }`.',
      },
      { isFinal: true },
    );
  }

  private async makeCopy({ $file, name, bytes }: FileValue, number: number): Promise<string> {
    const folder = join(await this.folder(), 'given', String(number));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, safeFileName(name));
    const source = await this.dependencies.store.open($file);
    const copy = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    try {
      await pipeline(source, copy, { signal: this.scope.signal });
    } catch (error) {
      if (error instanceof AbilityError || this.scope.signal.aborted) throw error;
      throw notCopied(name, error);
    }
    if (copy.bytesWritten !== bytes) throw otherSize(name, bytes, copy.bytesWritten);
    await chmod(path, 0o444);
    return path;
  }
}

/** Error codes of a disk that refuses writes; an aborted service gives other codes. */
const OF_DISK: ReadonlySet<unknown> = new Set(['EDQUOT', 'EFBIG', 'EIO', 'EMFILE', 'ENOSPC', 'EROFS']);

function isOfDisk(error: unknown): boolean {
  return OF_DISK.has((error as NodeJS.ErrnoException).code);
}

/** Files are kept only after the call, so it has had its effect even if keeping them fails. */
function notKept(name: string, cause: unknown, signal: AbortSignal): CallFailure {
  if (cause instanceof CallFailure) return cause;
  if (signal.aborted) {
    const message = `The call was made, but its time ran out before ${name} was stored`;
    return new CallFailure({ code: 'timeout.call', message }, { hasArrived: true, cause });
  }
  const reason = reasonOf(cause);
  const problem =
    cause instanceof AbilityError
      ? cause.toProblem()
      : { code: 'file.missing', message: `it cannot be read: ${reason}` };
  const message = `The call was made, but ${name} cannot be stored: ${problem.message}`;
  return new CallFailure({ ...problem, message }, { hasArrived: true, cause });
}

function otherSize(name: string, said: number, found: number): CallFailure {
  const message = `${name} has ${found} bytes, but the value that names it states ${said}`;
  return new CallFailure({ code: 'file.not_of_task', message }, { isFinal: true });
}

function notCopied(name: string, cause: unknown): AbilityError {
  const message = `${name} could not be copied for the call: ${reasonOf(cause)}`;
  return new AbilityError(
    { code: 'store.full', message, suggestion: 'Make room on the disk of the worker.' },
    { cause },
  );
}

function tooLarge(name: string, max: number): CallFailure {
  return new CallFailure({
    code: 'file.too_large',
    message: `${name} is larger than the ${formatBytes(max)} that a file may have`,
    suggestion: 'Make it smaller, or raise `policy.max_file` in ability.yaml.',
  });
}

function noRoom(name: string, left: number, max: number): CallFailure {
  return new CallFailure({
    code: 'file.too_large',
    message: `${name} is larger than the ${formatBytes(left)} that are left of ${formatBytes(max)} for the files of a task`,
    suggestion: 'Make fewer or smaller files, or raise `policy.max_task_files` in ability.yaml.',
  });
}
