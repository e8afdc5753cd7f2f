import { RECORD_FILES, type TaskRecord } from '../../contracts/record.js';
import { parseJson } from '../../disk/read-json.js';
import { sharedRecord, type TaskPlace } from '../../rules/tasks/task-ids.js';
import type { Store } from './store.js';

/** Undefined if missing or unusable. @throws AbilityError `store.not_shared`. */
export async function readSharedRecord(
  store: Pick<Store, 'getNamed'>,
  place: TaskPlace,
): Promise<TaskRecord | undefined> {
  const bytes = await store.getNamed(sharedRecord(place, RECORD_FILES.json));
  const record = bytes && parseJson<TaskRecord>(Buffer.from(bytes).toString('utf8'));
  return record?.format === 1 ? record : undefined;
}
