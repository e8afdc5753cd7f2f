import { keepingRuntime, retryTask, type Session, viewOwnTask } from '../../../client/index.js';
import type { ExitCode } from '../../../contracts/exit-codes.js';
import { type Context, currentUser, openRegistry, withSession } from '../context.js';
import { withDeadline } from '../deadline.js';
import { type FollowFlags, followTask, readPatience, refuseUnusedFlags } from '../follow-task.js';
import { reviewDefinitions } from '../review-definitions.js';
import { createOrReport, noteWarnings, notingStalls, reportDetached } from './run.js';

/** Flags of `ability task retry`. */
interface RetryFlags extends FollowFlags {
  from?: string;
  detach?: boolean;
}

/** `ability task retry KEY`: a new task under `KEY.r2`, which takes over what was done. */
export async function run(context: Context, [key = '']: string[], flags: RetryFlags): Promise<ExitCode> {
  refuseUnusedFlags(flags);
  const patience = readPatience(context.terminal.isLive, flags);
  const registry = await openRegistry(context);
  return withDeadline(context, patience, `${key} was not retried`, async (deadline) => {
    const { signal } = deadline;
    const work = async (session: Session): Promise<ExitCode> => {
      const { result } = await keepingRuntime(session, () => viewOwnTask(session, key), signal);
      const subject = { ability: result.ability_id, environment: result.environment };
      const created = await createOrReport(context, subject, () =>
        retryTask(session, key, {
          from: flags.from,
          user: currentUser(context.env),
          run: true,
          signal,
          onStall: notingStalls(context, deadline),
          review: (answer) => reviewDefinitions(context, registry, answer),
        }),
      );
      if (typeof created === 'number') return created;
      noteWarnings(context, created);
      if (flags.detach) return reportDetached(context, created);
      context.terminal.note(`task ${created.id}${created.attached ? ' (there already)' : ''}`);
      return followTask(context, session, created.id, flags, deadline);
    };
    return withSession(context, registry, work, signal);
  });
}
