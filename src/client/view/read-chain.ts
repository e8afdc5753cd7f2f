import type { ListedState } from '../../contracts/states.js';
import type { TaskMemo } from '../../contracts/task.js';
import { isTaskKey, nextKey } from '../../rules/tasks/task-ids.js';
import type { Connection } from '../connection/connect.js';
import { asking, describeIfKnown } from '../connection/temporal-errors.js';
import { stateOf } from '../list/task-query.js';

interface LaterTask {
  task: string;
  status: ListedState;
}

/** The retries before and after a task. */
export interface TaskChain {
  /** The task that this one retries; null: none. */
  retry_of: string | null;
  /** Retries of this task, in order. */
  retries: LaterTask[];
}

/** The maximum number of retries to search. */
const MAX_LATER = 50;

/** Reads the memos of tasks; those that Temporal no longer has are missing. Called and direct tasks have no retries. */
export async function readChain(connection: Connection, id: string): Promise<TaskChain> {
  if (!isTaskKey(id)) return { retry_of: null, retries: [] };
  return asking(connection, async () => {
    const own = await describe(connection, id);
    const retries: LaterTask[] = [];
    let before = id;
    while (retries.length < MAX_LATER) {
      const key = nextKey(before);
      const next = await describe(connection, key);
      // Any task may have such a key.
      if (next?.retry_of !== before) break;
      retries.push({ task: key, status: next.status });
      before = key;
    }
    return { retry_of: own?.retry_of ?? null, retries };
  });
}

async function describe(
  connection: Connection,
  id: string,
): Promise<(Pick<TaskMemo, 'retry_of'> & Pick<LaterTask, 'status'>) | undefined> {
  const found = await describeIfKnown(connection, id);
  const { retry_of } = (found?.memo ?? {}) as Partial<TaskMemo>;
  return found && { ...(retry_of !== undefined && { retry_of }), status: stateOf(found) };
}
