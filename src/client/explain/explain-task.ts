import { AbilityError } from '../../contracts/problem.js';
import type { TaskStory } from '../../contracts/story.js';
import type { Connection } from '../connection/connect.js';
import { asking, problemIn, taskNotFound } from '../connection/temporal-errors.js';
import { findPreflight } from '../start/find-preflight-outcome.js';
import { readLastOutput, readProtocols } from '../view/read-call-logs.js';
import { findRecord } from '../view/read-record.js';
import { type SeenTask, viewTask } from '../view/view-task.js';
import { buildStory } from './build-story.js';
import { readHistory } from './read-history.js';

/**
 * @param mend is called before the record is read; it returns a warning about the record.
 * @throws AbilityError `task.not_found`; if preflight formed no task, its message says why.
 */
export async function explainTask(
  connection: Connection,
  id: string,
  mend: (seen: SeenTask) => Promise<string | undefined> = async () => undefined,
): Promise<TaskStory> {
  // The runtime's own workflows have a colon in their id; of these only direct runs are tasks.
  if (id.includes(':') && !id.startsWith('direct:')) throw taskNotFound(id);
  return asking(connection, async () => {
    const seen = await see(connection, id);
    // Another project's task may have the same key as a record here.
    const isOwn = seen.result.project === undefined;
    const mended = await mend(seen);
    return buildStory({
      seen: mended === undefined ? seen : warned(seen, mended),
      record: isOwn ? await findRecord(connection, id) : undefined,
      history: seen.source === 'record' ? undefined : await readHistory(connection, id),
      lastOutput: (path) => (isOwn ? readLastOutput(connection, id, path) : new Map()),
      protocols: (isWanted) => (isOwn ? readProtocols(connection, id, isWanted) : new Map()),
    });
  });
}

function warned(seen: SeenTask, warning: string): SeenTask {
  return { ...seen, result: { ...seen.result, warnings: [...seen.result.warnings, warning] } };
}

async function see(connection: Connection, id: string): Promise<SeenTask> {
  try {
    return await viewTask(connection, id);
  } catch (error) {
    if (!(error instanceof AbilityError) || error.code !== 'task.not_found') throw error;
    throw (await whyNeverFormed(connection, id)) ?? error;
  }
}

/** Why preflight formed no task under this key; undefined if there was no preflight. */
async function whyNeverFormed(connection: Connection, id: string): Promise<AbilityError | undefined> {
  const outcome = await findPreflight(connection, id);
  if (!outcome) return undefined;
  if (outcome === 'running') return absence(id, 'its checks are still running');
  if ('answer' in outcome) {
    return absence(id, 'it passed its checks and was not started', 'Create it again under this key.');
  }
  const problem = problemIn(outcome.failure.cause);
  if (!problem) return absence(id, 'its checks did not end');
  const { code, message, suggestion } = problem;
  return absence(id, `it could not be created: ${code}: ${message}`, suggestion);
}

function absence(id: string, why: string, suggestion?: string): AbilityError {
  return new AbilityError({
    code: 'task.not_found',
    message: `There is no task ${id}: ${why}`,
    ...(suggestion !== undefined && { suggestion }),
  });
}
