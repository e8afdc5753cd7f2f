import type { TaskMemo } from '../../contracts/task.js';
import { isTaskKey } from '../../rules/tasks/task-ids.js';
import type { Connection } from '../connection/connect.js';
import { asking, describeIfKnown } from '../connection/temporal-errors.js';
import { type ListedState, stateOf } from '../list/task-query.js';

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

/** The key of a retry: `k`, `k.r2`, `k.r3`, ... */
export function nextKey(id: string): string {
  const { base, number } = partsOf(id);
  return `${base}.r${number + 1}`;
}

/** All earlier keys that the suffix implies, the first one first; empty for a key without suffix. */
export function earlierKeys(id: string): string[] {
  const { base, number } = partsOf(id);
  return Array.from({ length: number - 1 }, (_, index) => (index === 0 ? base : `${base}.r${index + 1}`));
}

function partsOf(id: string): { base: string; number: number } {
  const [, base = id, number = '1'] = /^(.+?)(?:\.r([1-9]\d{0,3}))?$/.exec(id) ?? [];
  return { base, number: Number(number) };
}
