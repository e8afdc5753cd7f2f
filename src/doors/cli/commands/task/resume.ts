import { resumeTask } from '../../../../client/index.js';
import { EXIT, type ExitCode } from '../../../../contracts/exit-codes.js';
import { asTyped } from '../../output/typed-command.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';

/** `ability task resume KEY`: lets a paused task go on. */
export async function run(context: Context, [key]: [string]): Promise<ExitCode> {
  return withSession(context, await openRegistry(context), async (connection) => {
    await resumeTask(connection, key);
    const { terminal, flags } = context;
    if (flags.json) terminal.printJson({ status: 'accepted', task_key: key });
    else terminal.print(asTyped(`${key} goes on: ability task watch ${key}`, context));
    return EXIT.ok;
  });
}
