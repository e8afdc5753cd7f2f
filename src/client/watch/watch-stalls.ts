import type { Connection } from '../connection/connect.js';
import { type Stall, StallWatch } from './find-stall.js';

const LOOK_MS = 1500;

/**
 * Waits for something that a workflow gives, and tells where no worker takes up what is due.
 *
 * @param id of the workflow.
 */
export async function watchingStalls<T>(
  connection: Connection,
  id: string,
  onStall: ((stall: Stall) => void) | undefined,
  action: () => Promise<T>,
): Promise<T> {
  if (!onStall) return action();
  const watch = new StallWatch(connection);
  let looking = Promise.resolve();
  let isOver = false;
  const look = async (): Promise<void> => {
    try {
      const { raw } = await connection.temporal.workflow.getHandle(id).describe();
      const stalls = await watch.look(id, raw);
      if (!isOver) for (const stall of stalls) onStall(stall);
    } catch {
      // Whoever waits for the result learns what is wrong.
    }
  };
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, LOOK_MS);
  try {
    return await action();
  } finally {
    isOver = true;
    // What is under way ends with the connection, and throws nothing.
    clearInterval(timer);
  }
}
