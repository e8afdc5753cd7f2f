import { pauseSchedule } from '../../../client/index.js';
import { EXIT, type ExitCode } from '../../../contracts/exit-codes.js';
import { type Context, currentUser, openRegistry, withSession } from '../context.js';

/** `ability schedule pause NAME`; who did it, and why, is shown with the schedule. */
export async function run(
  context: Context,
  [name = '']: string[],
  { comment }: { comment?: string },
): Promise<ExitCode> {
  return withSession(context, await openRegistry(context), async (connection) => {
    const by = `paused by ${currentUser(context.env).name}`;
    await pauseSchedule(connection, name, comment === undefined ? by : `${by}: ${comment}`);
    if (context.flags.json) context.terminal.printJson({ schedule: name, status: 'paused' });
    else context.terminal.note(`${name} is paused.`);
    return EXIT.ok;
  });
}
