import { hostname } from 'node:os';
import { join } from 'node:path';
import { readHost, readRecord, readRecordPlace, type SeenTask, type Session } from '../../client/index.js';
import { AbilityError } from '../../contracts/problem.js';
import { isEndState } from '../../contracts/states.js';

/**
 * Writes the record of an ended task where it is missing, from the history.
 *
 * The worker that ended the task had a full disk, or was away from the folder of the records.
 *
 * @returns what to say about it; undefined where nothing is missing, or the record belongs to another machine.
 */
export async function mendRecord(session: Session, key: string, seen: SeenTask): Promise<string | undefined> {
  if (!hasEndedHere(key, seen) || readRecord(session, key)?.result) return undefined;
  if (!(await isKeptHere(session, key))) return undefined;
  const missing = `record.missing: how ${key} ended was not in its record`;
  try {
    const { recordFromHistory } = await import('../../worker/record-from-history.js');
    await recordFromHistory(session, key, seen.result);
    return `${missing}; it was written now, from the history`;
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return `${missing}, and could not be written from the history: ${error.code}: ${error.message}`;
  }
}

/** Direct runs have no record; that of a called task is its caller's worker's; that of another project is not ours. */
function hasEndedHere(key: string, { source, result }: SeenTask): boolean {
  const isOwn = result.project === undefined && result.task_key !== null;
  return source === 'history' && isOwn && isEndState(result.status) && !key.includes('/');
}

/** Whether the worker keeps, or would keep, the record in this folder of this machine. */
async function isKeptHere(session: Session, key: string): Promise<boolean> {
  if (session.isOwnRuntime || readRecord(session, key)) return true;
  if ((await readHost(session, key)) !== hostname()) return false;
  return (await readRecordPlace(session, key)) === join(session.paths.records, key);
}
