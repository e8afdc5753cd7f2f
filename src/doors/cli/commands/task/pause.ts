import { pauseTask } from '../../../../client/index.js';
import { EXIT, type ExitCode } from '../../../../contracts/exit-codes.js';
import { asTyped } from '../../output/typed-command.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';

/** `ability task pause KEY`: lets a task start nothing new. */
export async function run(context: Context, [key]: [string]): Promise<ExitCode> {
  return withSession(context, await openRegistry(context), async (connection) => {
    await pauseTask(connection, key);
    const { terminal, flags } = context;
    if (flags.json) terminal.printJson({ status: 'accepted', task_key: key });
    else terminal.print(asTyped(`${key} starts nothing new; calls under way end: ability task resume ${key}`, context));
    return EXIT.ok;
  });
}
