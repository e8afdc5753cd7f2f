import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RECORD_FILES, type TaskRecord } from '../../contracts/record.js';
import { CHILDREN, DIRECT } from '../../rules/tasks/task-ids.js';

export interface ReadRecords {
  /** Oldest first. */
  records: TaskRecord[];
  /** Paths of unreadable files and folders; tasks may be missing. */
  unread: string[];
  left_out: number;
}

const MAX_RECORDS = 3000;

/** The records of tasks, called tasks and direct runs; skips those removed meanwhile. */
export function readRecords(folder: string, max = MAX_RECORDS): ReadRecords {
  const unread: string[] = [];
  const files = filesIn(folder, unread).sort((one, other) => one.at - other.at);
  const records = files.slice(-max).flatMap(({ path }) => recordAt(path, unread));
  return { records, unread, left_out: Math.max(0, files.length - max) };
}

interface RecordFile {
  path: string;
  /** Time of the last write, ms since 1970. */
  at: number;
}

function filesIn(folder: string, unread: string[]): RecordFile[] {
  return namesIn(folder, unread).flatMap((name) => {
    const task = join(folder, name);
    if (name === DIRECT) return filesIn(task, unread);
    const path = join(task, RECORD_FILES.json);
    const at = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    return [...(at === undefined ? [] : [{ path, at }]), ...filesIn(join(task, CHILDREN), unread)];
  });
}

function namesIn(folder: string, unread: string[]): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    noteUnread(folder, error, unread);
    return [];
  }
}

function recordAt(path: string, unread: string[]): TaskRecord[] {
  try {
    const record = JSON.parse(readFileSync(path, 'utf8')) as Partial<TaskRecord> | null;
    if (typeof record?.task_key === 'string' && typeof record.request?.ability === 'string')
      return [record as TaskRecord];
    unread.push(path);
  } catch (error) {
    noteUnread(path, error, unread);
  }
  return [];
}

function noteUnread(path: string, error: unknown, unread: string[]): void {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'ENOENT') unread.push(path);
}
