import type { TaskMemo } from '../../contracts/task.js';
import type { Connection } from '../connection/connect.js';
import { asking, isUnknownWorkflow } from '../connection/temporal-errors.js';
import { listedState } from '../list/task-query.js';
import { nextKey } from '../start/retried-key.js';

/** A task that tries another one again. */
export interface LaterTask {
  task: string;
  status: ReturnType<typeof listedState>;
}

/** The tasks before and after one that try each other again. */
export interface TaskChain {
  /** The task that this one tries again; null for a first one. */
  retry_of: string | null;
  /** Those that try this one again, in their order. */
  retries: LaterTask[];
}

/** So many later tasks are looked for. */
const MOST_LATER = 50;

/** Reads from the memos of tasks which of them try each other again; what Temporal has forgotten is not among them. */
export async function readChain(connection: Connection, id: string): Promise<TaskChain> {
  return asking(connection, async () => {
    const own = await describe(connection, id);
    const retries: LaterTask[] = [];
    let before = id;
    while (retries.length < MOST_LATER) {
      const key = nextKey(before);
      const next = await describe(connection, key);
      // A key like that may be chosen for any task.
      if (next?.retry_of !== before) break;
      retries.push({ task: key, status: next.status });
      before = key;
    }
    return { retry_of: own?.retry_of ?? null, retries };
  });
}

async function describe(
  { temporal }: Connection,
  id: string,
): Promise<(Pick<TaskMemo, 'retry_of'> & Pick<LaterTask, 'status'>) | undefined> {
  try {
    const { memo, status, searchAttributes } = await temporal.workflow.getHandle(id).describe();
    const { retry_of } = (memo ?? {}) as Partial<TaskMemo>;
    const state = listedState(status.name, String(searchAttributes.AbilityStatus?.[0] ?? ''));
    return { ...(retry_of !== undefined && { retry_of }), status: state };
  } catch (error) {
    if (isUnknownWorkflow(error)) return undefined;
    throw error;
  }
}
