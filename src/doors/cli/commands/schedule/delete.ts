import { deleteSchedule } from '../../../../client/index.js';
import { EXIT, type ExitCode } from '../../../../contracts/exit-codes.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';

/** `ability schedule delete NAME`; the tasks that it has started go on. */
export async function run(context: Context, [name]: [string]): Promise<ExitCode> {
  return withSession(context, await openRegistry(context), async (connection) => {
    await deleteSchedule(connection, name);
    if (context.flags.json) context.terminal.printJson({ schedule: name, status: 'deleted' });
    else context.terminal.note(`${name} is deleted; the tasks that it has started go on.`);
    return EXIT.ok;
  });
}
