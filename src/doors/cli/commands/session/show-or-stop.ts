import { type Connection, type SeenSession, showSession, stopSession } from '../../../../client/index.js';
import { renderSession } from '../../output/render-session.js';
import { type Context, openRegistry, printAnswer, withSession } from '../../program/context.js';

export const show = showing(showSession);

/** `ability session stop SESSION`: ends a session with its hooks; its open tasks continue. */
export const stop = showing(stopSession);

function showing(see: (connection: Connection, session: string) => Promise<SeenSession>) {
  return async (context: Context, [session]: [string]): Promise<void> =>
    withSession(context, await openRegistry(context), async (connection) => {
      const seen = await see(connection, session);
      printAnswer(context, seen, () => renderSession(seen).join('\n'));
    });
}
