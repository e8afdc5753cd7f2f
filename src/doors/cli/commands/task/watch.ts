import { type Connection, hasEnded, keepingRuntime, viewTask } from '../../../../client/index.js';
import type { ExitCode } from '../../../../contracts/exit-codes.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';
import type { TaskFlags } from '../../program/tasks.js';
import { withDeadline } from '../following/deadline.js';
import { followTask, readPatience, reportEnd } from '../following/follow-task.js';

/** `ability task watch KEY`: waits for a task and ends as it does. */
export async function run(context: Context, [key]: [string], flags: TaskFlags['watch']): Promise<ExitCode> {
  return withDeadline(
    context,
    readPatience(context.terminal.isLive, flags),
    `${key} was not reached`,
    async (deadline) => {
      const { signal } = deadline;
      const work = async (connection: Connection): Promise<ExitCode> => {
        const seen = await keepingRuntime(connection, () => viewTask(connection, key, false), signal);
        if (!hasEnded(seen)) return followTask(context, connection, key, flags, deadline);
        return reportEnd(context, connection, seen.result, flags);
      };
      return withSession(context, await openRegistry(context), work, signal);
    },
  );
}
