import type { TaskStory } from '../../contracts/story.js';
import { isTaskId } from '../../rules/tasks/task-ids.js';
import type { Connection } from '../connection/connect.js';
import { asking, taskNotFound } from '../connection/temporal-errors.js';
import { readLastOutput, readProtocols } from '../view/read-call-logs.js';
import { findRecord } from '../view/read-record.js';
import { type SeenTask, viewTask } from '../view/view-task.js';
import { buildStory } from './build-story.js';
import { readHistory } from './read-history.js';

/**
 * @param mend is called before the record is read; it returns a warning about the record.
 * @throws AbilityError `task.not_found`, `task.deleted`.
 */
export async function explainTask(
  connection: Connection,
  id: string,
  mend: (seen: SeenTask) => Promise<string | undefined> = async () => undefined,
): Promise<TaskStory> {
  if (!isTaskId(id)) throw taskNotFound(id);
  return asking(connection, async () => {
    const seen = await viewTask(connection, id, 'anyone');
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
