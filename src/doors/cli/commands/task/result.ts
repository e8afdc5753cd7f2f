import { hasEnded, viewTask } from '../../../../client/index.js';
import { EXIT, EXIT_OF_STATE, type ExitCode } from '../../../../contracts/states.js';
import { asTyped, commandOf } from '../../output/typed-command.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';
import { printResult } from '../following/follow-task.js';

/**
 * `ability task result KEY`: the result; 5 or 1 while there is none. Source: docs/operations.md#looking-into-a-task.
 */
export async function run(context: Context, [key]: [string]): Promise<ExitCode> {
  return withSession(context, await openRegistry(context), async (connection) => {
    const seen = await viewTask(connection, key);
    await printResult(context, connection, seen.result);
    if (hasEnded(seen)) return EXIT_OF_STATE[seen.result.status];
    context.terminal.note(`${key} has not ended yet: ${asTyped(commandOf('ability', 'task', 'watch', key), context)}`);
    return seen.result.status === 'waiting_approval' ? EXIT.waiting : EXIT.failed;
  });
}
