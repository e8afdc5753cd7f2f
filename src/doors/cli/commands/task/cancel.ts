import { cancelTask } from '../../../../client/index.js';
import { EXIT, type ExitCode } from '../../../../contracts/exit-codes.js';
import { asTyped } from '../../output/typed-command.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';

/** `ability task cancel KEY`: asks a task to stop; its clean-up runs. */
export async function run(context: Context, [key]: [string]): Promise<ExitCode> {
  return withSession(context, await openRegistry(context), async (connection) => {
    await cancelTask(connection, key);
    const { terminal, flags } = context;
    if (flags.json) terminal.printJson({ status: 'accepted', task_key: key });
    else
      terminal.print(asTyped(`${key} was asked to stop; its clean-up runs first: ability task watch ${key}`, context));
    return EXIT.ok;
  });
}
