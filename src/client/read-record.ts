import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RECORD_FILES, type TaskRecord } from '../contracts/record.js';
import { recordPath } from '../rules/record-path.js';
import type { Session } from './connect.js';

/** The record of a task on this machine; undefined when there is none. */
export function readRecord(session: Pick<Session, 'paths'>, id: string): TaskRecord | undefined {
  try {
    const text = readFileSync(join(folderOf(session, id), RECORD_FILES.json), 'utf8');
    return JSON.parse(text) as TaskRecord;
  } catch {
    return undefined;
  }
}

/** The folder of the record of a task, where it is on this machine. */
export function recordHere(session: Pick<Session, 'paths'>, id: string): string | null {
  const folder = folderOf(session, id);
  return existsSync(join(folder, RECORD_FILES.json)) ? folder : null;
}

function folderOf({ paths }: Pick<Session, 'paths'>, id: string): string {
  return join(paths.records, ...recordPath(id));
}
