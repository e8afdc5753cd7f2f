import { hasEnded, keepingRuntime, viewTask } from '../../../../client/index.js';
import type { ExitCode } from '../../../../contracts/states.js';
import { type Context, openRegistry } from '../../program/context.js';
import type { TaskFlags } from '../../program/tasks.js';
import { connectedInTime } from '../following/deadline.js';
import { checkFollowFlags, followTask, reportEnd } from '../following/follow-task.js';

/** `ability task watch KEY`: waits for a task and exits with its outcome. */
export async function run(context: Context, [key]: [string], flags: TaskFlags['watch']): Promise<ExitCode> {
  const patience = checkFollowFlags(context, flags);
  const registry = await openRegistry(context);
  return connectedInTime(context, registry, patience, `${key} was not reached`, async (connection, deadline) => {
    const seen = await keepingRuntime(connection, () => viewTask(connection, key, 'temporal'), deadline.signal);
    if (!hasEnded(seen)) return followTask(context, connection, key, flags, deadline);
    return reportEnd(context, connection, seen.result, flags);
  });
}
