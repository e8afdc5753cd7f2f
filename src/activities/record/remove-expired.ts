import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RECORD_FILES, type TaskRecord } from '../../contracts/record.js';
import { readJson } from '../../disk/read-json.js';
import { DIRECT } from '../../rules/tasks/task-ids.js';

/** Removes the expired records of direct runs. @param now milliseconds since 1970. @returns their number. */
export function removeExpired(records: string, now: number): number {
  const folder = join(records, DIRECT);
  const expired = namesIn(folder).filter((name) => isExpired(join(folder, name), now));
  for (const name of expired) rmSync(join(folder, name), { recursive: true, force: true });
  return expired.length;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** An unreadable record counts as not expired: it may be about to be written. */
function isExpired(path: string, now: number): boolean {
  const expires = readJson<TaskRecord>(join(path, RECORD_FILES.json))?.expires_at;
  return expires !== undefined && Date.parse(expires) <= now;
}
