import { runTask } from '../../../client/index.js';
import { EXIT, type ExitCode } from '../../../contracts/exit-codes.js';
import { type Context, openRegistry, withSession } from '../context.js';
import { type FollowFlags, followTask, refuseUnusedFlags } from '../follow-task.js';

/** `ability task run KEY`: runs a created task. Source: R-000-74 to R-000-76. */
export async function run(
  context: Context,
  [key = '']: string[],
  flags: FollowFlags & { detach?: boolean },
): Promise<ExitCode> {
  refuseUnusedFlags(flags);
  return withSession(context, await openRegistry(context), async (session) => {
    await runTask(session, key);
    if (!flags.detach) return followTask(context, session, key, flags);
    const { terminal } = context;
    if (context.flags.json) terminal.printJson({ status: 'running', task_key: key });
    else terminal.print(key);
    return EXIT.ok;
  });
}
