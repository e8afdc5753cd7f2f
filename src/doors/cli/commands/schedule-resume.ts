import { resumeSchedule } from '../../../client/index.js';
import { EXIT, type ExitCode } from '../../../contracts/exit-codes.js';
import { type Context, currentUser, openRegistry, withSession } from '../context.js';

/** `ability schedule resume NAME`; who did it, and why, is shown with the schedule. */
export async function run(
  context: Context,
  [name = '']: string[],
  { comment }: { comment?: string },
): Promise<ExitCode> {
  return withSession(context, await openRegistry(context), async (connection) => {
    const by = `resumed by ${currentUser(context.env).name}`;
    await resumeSchedule(connection, name, comment === undefined ? by : `${by}: ${comment}`);
    if (context.flags.json) context.terminal.printJson({ schedule: name, status: 'resumed' });
    else context.terminal.note(`${name} is resumed.`);
    return EXIT.ok;
  });
}
