import { hasEnded, viewTask } from '../../../client/index.js';
import { EXIT_OF_STATE, type ExitCode } from '../../../contracts/exit-codes.js';
import { type Context, openRegistry, withSession } from '../context.js';
import { type FollowFlags, followTask, printResult } from '../follow-task.js';
import { writeJunit } from '../junit.js';

/** `ability task watch KEY`: waits for a task and ends as it does. */
export async function run(context: Context, [key = '']: string[], flags: FollowFlags): Promise<ExitCode> {
  return withSession(context, await openRegistry(context), async (session) => {
    const seen = await viewTask(session, key);
    if (!hasEnded(seen)) return followTask(context, session, key, flags);
    if (flags.junit !== undefined) writeJunit(flags.junit, seen.result, context.cwd);
    printResult(context, seen.result);
    return EXIT_OF_STATE[seen.result.status];
  });
}
