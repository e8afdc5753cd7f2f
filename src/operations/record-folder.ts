import { join } from 'node:path';
import { AbilityError } from '../contracts/problem.js';
import { recordPath } from '../rules/tasks/task-ids.js';

/** No key, not even of a called task, may lead out of the records. @throws AbilityError `task.not_found`. */
export function recordFolder(records: string, key: string): string {
  if (/^(direct:)?[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._~-]*)*$/.test(key))
    return join(records, ...recordPath(key));
  throw new AbilityError({ code: 'task.not_found', message: `${JSON.stringify(key)} is no task key` });
}
