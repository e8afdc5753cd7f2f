import { keepingRuntime, runTask } from '../../../../client/index.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import { type Context, openRegistry, printAnswer } from '../../program/context.js';
import type { TaskFlags } from '../../program/tasks.js';
import { connectedInTime } from '../following/deadline.js';
import { checkFollowFlags, followTask } from '../following/follow-task.js';

/** `ability task run KEY`: runs a created task. Source: R-000-74 to R-000-76. */
export async function run(context: Context, [key]: [string], flags: TaskFlags['runCreated']): Promise<ExitCode> {
  const patience = checkFollowFlags(context, flags);
  const registry = await openRegistry(context);
  return connectedInTime(context, registry, patience, `${key} was not run`, async (connection, deadline) => {
    await keepingRuntime(connection, () => runTask(connection, key), deadline.signal);
    if (!flags.detach) return followTask(context, connection, key, flags, deadline);
    printAnswer(context, { status: 'running', task_key: key }, () => key);
    return EXIT.ok;
  });
}
