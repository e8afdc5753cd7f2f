import { join } from 'node:path';
import type { Connection, LogLine } from '../../client/index.js';
import { RECORD_FILES } from '../../contracts/record.js';
import { recordFolder } from '../answers/record-folder.js';
import { CallLogs, inOrder } from '../cli/commands/task/read-call-logs.js';
import type { HttpDoor } from './http-door.js';
import { viewOwn } from './view-own.js';

/** What the calls of a task wrote, as far as this machine or the store has it. @throws AbilityError `task.not_found`, `store.not_shared`. */
export async function readLogs(
  { note }: HttpDoor,
  connection: Connection,
  key: string,
  step: string | undefined,
): Promise<LogLine[]> {
  await viewOwn(connection, key);
  const { paths, project, store } = connection;
  const folder = join(recordFolder(paths.records, key), RECORD_FILES.logs);
  const shared = store.isShared ? store : undefined;
  return inOrder(await new CallLogs(folder, paths, { project, task: key }, shared, note).read(step, true));
}
