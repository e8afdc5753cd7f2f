import { startSession } from '../../../../client/index.js';
import { AbilityError, usageError } from '../../../../contracts/problem.js';
import { findScope } from '../../../../definitions/find-scope.js';
import { parseDuration } from '../../../../rules/duration.js';
import { asTyped, commandOf } from '../../output/typed-command.js';
import { type Context, currentUser, environmentOf, openRegistry, withSession } from '../../program/context.js';
import type { SessionFlags } from '../../program/sessions.js';

export async function run(context: Context, _: [], flags: SessionFlags['start']): Promise<void> {
  const idleMs = readIdle(flags.idle);
  const registry = await openRegistry(context);
  const environment = await environmentOf(context, registry);
  const scope = findScope(registry.root, context.cwd, flags.scope, context.env);
  return withSession(context, registry, async (connection) => {
    const user = currentUser(context.env);
    const id = flags.id === undefined ? {} : { id: flags.id };
    const { session_id, attached } = await startSession(connection, { ...id, environment, scope, idleMs, user });
    const { terminal } = context;
    if (context.flags.json) terminal.printJson({ session_id, environment, scope, idle_ms: idleMs, attached });
    else {
      terminal.print(session_id);
      const next = commandOf('ability', 'session', 'prompt', session_id, 'TEXT');
      terminal.note(asTyped(`${attached ? 'There already. ' : ''}Go on with: ${next}`, context));
    }
  });
}

function readIdle(text: string): number {
  try {
    const idle = parseDuration(text);
    if (idle > 0) return idle;
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
  }
  throw usageError(`--idle ${text} is no duration`, 'Use for example 24h or 30m.');
}
