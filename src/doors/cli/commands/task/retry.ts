import { keepingRuntime, retryTask, viewOwnTask } from '../../../../client/index.js';
import type { ExitCode } from '../../../../contracts/states.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { readCaller, readTrace } from '../../input/read-caller.js';
import { asTyped, commandOf } from '../../output/typed-command.js';
import { type Context, currentUser, openRegistry } from '../../program/context.js';
import type { TaskFlags } from '../../program/tasks.js';
import { connectedInTime } from '../following/deadline.js';
import { checkFollowFlags, followTask } from '../following/follow-task.js';
import { createOrReport, noteWarnings, notingStalls, reportDetached } from '../run.js';
import { strictly } from './review-definitions.js';

/** `ability task retry KEY`: a new task under `KEY.r2`, which reuses finished work. */
export async function run(context: Context, [key]: [string], flags: TaskFlags['retry']): Promise<ExitCode> {
  const patience = checkFollowFlags(context, flags);
  const registry = await openRegistry(context);
  return connectedInTime(context, registry, patience, `${key} was not retried`, async (connection, deadline) => {
    const { signal } = deadline;
    const { result } = await keepingRuntime(connection, () => viewOwnTask(connection, key, 'temporal'), signal);
    const subject = { ability: result.ability_id, environment: result.environment };
    const created = await createOrReport(context, subject, () =>
      retryTask(connection, key, {
        from: flags.from,
        stands: flags.stands,
        undone: flags.undone,
        person: currentUser(context.env),
        kind: readCaller(context.env),
        trace: readTrace(context.env),
        run: true,
        ...(flags.detach && { leaves: true }),
        signal,
        onStall: notingStalls(context, deadline),
        ...strictly(context, registry),
      }),
    );
    if (typeof created === 'number') return created;
    noteWarnings(context, created);
    if (created.begins !== undefined) context.terminal.note(`${oneLine(created.begins)}.`);
    if (flags.detach) return reportDetached(context, created);
    context.terminal.note(`task ${created.id}${created.attached ? ' (there already)' : ''}`);
    if (created.attached && flags.from !== undefined) noteUnusedFrom(context, key, created.id, flags.from);
    return followTask(context, connection, created.id, flags, deadline);
  });
}

/** A second retry of a task is the same task as the first, whatever its `--from`. */
function noteUnusedFrom(context: Context, key: string, retry: string, from: string): void {
  const { terminal } = context;
  const again = asTyped(commandOf('ability', 'task', 'retry', retry, '--from', from), context);
  const what = `${key} was already retried, as ${retry}, and --from ${from} does not change that`;
  terminal.note(`${terminal.style('yellow', 'warning')} ${what}\n  Once it has ended: ${again}`);
}
