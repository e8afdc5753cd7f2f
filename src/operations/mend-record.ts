import { type Connection, readRecord, type SeenTask } from '../client/index.js';
import { AbilityError } from '../contracts/problem.js';
import { isEndState } from '../contracts/states.js';

/**
 * Writes the missing record of an ended task from its history: its worker may have had a full disk, or no access
 * to the folder. @returns a message; undefined if nothing is missing, or the record is of another machine.
 */
export async function mendRecord(connection: Connection, key: string, seen: SeenTask): Promise<string | undefined> {
  if (!hasEndedHere(key, seen) || readRecord(connection, key)?.result) return undefined;
  // Another worker keeps it elsewhere.
  if (!connection.isOwnRuntime && !readRecord(connection, key)) return undefined;
  const missing = `record.missing: how ${key} ended was not in its record`;
  try {
    const { recordFromHistory } = await import('../worker/record-from-history.js');
    await recordFromHistory(connection, key, seen.result);
    return `${missing}; it was written now, from the history`;
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return `${missing}, and could not be written from the history: ${error.code}: ${error.message}`;
  }
}

/** Not for direct runs, called tasks, refused requests and other projects' tasks: no records are kept here. */
function hasEndedHere(key: string, { source, result }: SeenTask): boolean {
  const isOwn = result.project === undefined && result.task_key !== null;
  const hasRecord = isEndState(result.status) && result.status !== 'unavailable';
  return source === 'history' && isOwn && hasRecord && !key.includes('/');
}
