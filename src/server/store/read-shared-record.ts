import { RECORD_FILES, type TaskRecord } from '../../contracts/record.js';
import { sharedRecord, type TaskPlace } from '../../rules/shared-names.js';
import type { Store } from './store.js';

/** The record of a task in a store; undefined where there is none that can be used. @throws AbilityError `store.not_shared`. */
export async function readSharedRecord(
  store: Pick<Store, 'getNamed'>,
  place: TaskPlace,
): Promise<TaskRecord | undefined> {
  const bytes = await store.getNamed(sharedRecord(place, RECORD_FILES.json));
  if (!bytes) return undefined;
  try {
    const record = JSON.parse(Buffer.from(bytes).toString('utf8')) as TaskRecord;
    return record.format === 1 ? record : undefined;
  } catch {
    return undefined;
  }
}
