import type { TaskMemo } from '../../contracts/task.js';
import type { Connection } from '../connection/connect.js';
import { asking, describeIfKnown } from '../connection/temporal-errors.js';
import { type ListedState, stateOf } from '../list/task-query.js';

/** A task that tries another one again. */
interface LaterTask {
  task: string;
  status: ListedState;
}

/** The tasks before and after one that try each other again. */
export interface TaskChain {
  /** The task that this one tries again; null for a first one. */
  retry_of: string | null;
  /** Those that try this one again, in their order. */
  retries: LaterTask[];
}

/** So many later tasks are looked for. */
const MAX_LATER = 50;

/** Reads from the memos of tasks which are retries of each other; those that Temporal has forgotten are missing. */
export async function readChain(connection: Connection, id: string): Promise<TaskChain> {
  return asking(connection, async () => {
    const own = await describe(connection, id);
    const retries: LaterTask[] = [];
    let before = id;
    while (retries.length < MAX_LATER) {
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
  connection: Connection,
  id: string,
): Promise<(Pick<TaskMemo, 'retry_of'> & Pick<LaterTask, 'status'>) | undefined> {
  const found = await describeIfKnown(connection, id);
  const { retry_of } = (found?.memo ?? {}) as Partial<TaskMemo>;
  return found && { ...(retry_of !== undefined && { retry_of }), status: stateOf(found) };
}

/** The key of the task that tries another one again: `k`, `k.r2`, `k.r3`, ... */
export function nextKey(id: string): string {
  const { base, number } = partsOf(id);
  return `${base}.r${number + 1}`;
}

/** The keys that come before one by their names alone, the first one first; none for a first one. */
export function earlierKeys(id: string): string[] {
  const { base, number } = partsOf(id);
  return Array.from({ length: number - 1 }, (_, index) => (index === 0 ? base : `${base}.r${index + 1}`));
}

function partsOf(id: string): { base: string; number: number } {
  const [, base = id, number = '1'] = /^(.+?)(?:\.r([1-9]\d{0,3}))?$/.exec(id) ?? [];
  return { base, number: Number(number) };
}
