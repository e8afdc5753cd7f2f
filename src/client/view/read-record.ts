import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RECORD_FILES, type TaskRecord } from '../../contracts/record.js';
import { readJson } from '../../disk/read-json.js';
import { isDirect, recordPath } from '../../rules/tasks/task-ids.js';
import { readSharedRecord } from '../../server/store/read-shared-record.js';
import type { Connection } from '../connection/connect.js';

/** Undefined if this machine has no record of the task. */
export function readRecord(connection: Pick<Connection, 'paths'>, id: string): TaskRecord | undefined {
  return readJson<TaskRecord>(join(folderOf(connection, id), RECORD_FILES.json));
}

/** The record's folder; null if it is not on this machine. */
export function recordHere(connection: Pick<Connection, 'paths'>, id: string): string | null {
  const folder = folderOf(connection, id);
  return existsSync(join(folder, RECORD_FILES.json)) ? folder : null;
}

function folderOf({ paths }: Pick<Connection, 'paths'>, id: string): string {
  return join(paths.records, ...recordPath(id));
}

/**
 * The local record or, if that has no result, the one in the workers' shared store; undefined if there is none, or
 * the store cannot be read.
 */
export async function findRecord(connection: Connection, id: string): Promise<TaskRecord | undefined> {
  const here = readRecord(connection, id);
  if (here?.result || !connection.store.isShared || isDirect(id)) return here;
  const shared = await readSharedRecord(connection.store, { project: connection.project, task: id }).catch(
    () => undefined,
  );
  return shared?.result ? shared : (here ?? shared);
}
