import { isJsonObject, type JsonObject } from './json.js';

/**
 * Stands for a file of a task, whose bytes are in the store. Anyone may state a digest, so a call gets the bytes
 * only if the task has the file. Source: docs/decisions/0013-files-between-steps.md.
 */
export interface FileValue extends JsonObject {
  /** SHA-256 of its bytes: 64 hex digits. */
  $file: string;
  /** File name, without folders. */
  name: string;
  bytes: number;
  /** Such as `text/html`. */
  media_type: string;
}

/** The files of one call, by the names of its contract; a list where the contract says `many`. */
export type StepFiles = { [name: string]: FileValue | FileValue[] };

/** A file of a task, and its origin. */
export interface TaskFile {
  /** Path of the step that made it; `''` for one of the input. */
  step: string;
  /** Name in the contract of the step, or the place in the input. */
  name: string;
  file: FileValue;
  /** Made by a called task that did not return it in its output, so this task may not use it. */
  called?: true;
}

/** A path in a value at which a file is expected: a key or index, any except the named ones, or any depth below. */
export type FilePlace = FilePlaceStep[];

/** One step of a {@link FilePlace}. */
export type FilePlaceStep = string | { besides: string[] } | { deep: true };

/** Contract of an operation for one of its output files. */
export interface PlanOutputFile {
  /** Relative to the folder that the script writes into. */
  glob: string;
  /** Any number of files; otherwise exactly one. */
  many?: true;
}

/** Defaults of `policy.max_file` and `policy.max_task_files`. */
export const FILE_LIMITS = { file_bytes: 1024 ** 3, task_bytes: 4 * 1024 ** 3 } as const;

/** Name of the file that holds the answer of an HTTP call. */
export const ANSWER_FILE = 'response';

/** Maximum number of files of one call, since each is a part of its answer. */
export const MAX_FILES_OF_CALL = 10_000;

const DIGEST = /^[0-9a-f]{64}$/;
const NAME = /^(?!\.{1,2}$)[^/\\\p{Cc}]{1,255}$/u;
const MEDIA_TYPE = /^[\x21-\x2e\x30-\x7e]{1,100}\/[\x20-\x7e]{1,150}$/;
const MEMBERS = 4;

/** Whether a value is a {@link FileValue}: all four members, each in its form, and nothing else. */
export function isFileValue(value: unknown): value is FileValue {
  if (!isJsonObject(value) || typeof value.$file !== 'string') return false;
  const { $file, name, bytes, media_type } = value;
  return (
    Object.keys(value).length === MEMBERS &&
    DIGEST.test($file) &&
    typeof name === 'string' &&
    NAME.test(name) &&
    typeof bytes === 'number' &&
    Number.isSafeInteger(bytes) &&
    bytes >= 0 &&
    typeof media_type === 'string' &&
    MEDIA_TYPE.test(media_type)
  );
}
