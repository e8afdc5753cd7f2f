import { showSession } from '../../../../client/index.js';
import { EXIT, type ExitCode } from '../../../../contracts/exit-codes.js';
import { renderSession } from '../../output/render-session.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';

/** `ability session show SESSION`: how a session stands. */
export async function run(context: Context, [session]: [string]): Promise<ExitCode> {
  return withSession(context, await openRegistry(context), async (connection) => {
    const seen = await showSession(connection, session);
    const { terminal } = context;
    if (context.flags.json) terminal.printJson(seen);
    else terminal.print(renderSession(seen).join('\n'));
    return EXIT.ok;
  });
}
