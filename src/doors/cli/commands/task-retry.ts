import { retryTask, viewOwnTask } from '../../../client/index.js';
import type { ExitCode } from '../../../contracts/exit-codes.js';
import { type Context, currentUser, openRegistry, withSession } from '../context.js';
import { type FollowFlags, followTask, readPatience, refuseUnusedFlags } from '../follow-task.js';
import { createOrReport, noteWarnings, reportDetached, reviewRegistry } from './run.js';

/** Flags of `ability task retry`. */
interface RetryFlags extends FollowFlags {
  from?: string;
  detach?: boolean;
}

/** `ability task retry KEY`: a new task under `KEY.r2`, which takes over what was done. */
export async function run(context: Context, [key = '']: string[], flags: RetryFlags): Promise<ExitCode> {
  refuseUnusedFlags(flags);
  readPatience(context.terminal.isLive, flags);
  const registry = await openRegistry(context);
  return withSession(context, registry, async (session) => {
    const { result } = await viewOwnTask(session, key);
    const subject = { ability: result.ability_id, environment: result.environment };
    const created = await createOrReport(context, subject, () =>
      retryTask(session, key, {
        from: flags.from,
        user: currentUser(),
        run: true,
        review: ({ registry: digest }) => reviewRegistry(context, registry, digest),
      }),
    );
    if (typeof created === 'number') return created;
    noteWarnings(context, created);
    if (flags.detach) return reportDetached(context, created);
    context.terminal.note(`task ${created.id}${created.attached ? ' (there already)' : ''}`);
    return followTask(context, session, created.id, flags);
  });
}
