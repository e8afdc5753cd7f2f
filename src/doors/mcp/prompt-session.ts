import { z } from 'zod';
import { promptSession } from '../../client/index.js';
import type { Json } from '../../contracts/json.js';
import { MOST_PROMPT } from '../../rules/read-session-start.js';
import type { ToolAnswer, ToolCall } from './mcp-door.js';

/** What `session_prompt` takes. */
export const promptInput = z.strictObject({ text: z.string().max(MOST_PROMPT).describe('As the user wrote it.') });

/**
 * `session_prompt`: says to the session what the user asks, and gives back what an AI reads before it decides.
 *
 * @throws AbilityError as `promptSession`. Source: R-002-42.
 */
export async function prompt(call: ToolCall, { text }: z.output<typeof promptInput>): Promise<ToolAnswer> {
  const { door, visitor, caller } = call;
  const connection = await call.loan.connect();
  const context = await visitor.session.use(connection, door, caller, (session) =>
    promptSession(connection, session, text, caller),
  );
  visitor.session.isNews(context);
  return { told: { turn_context: context as unknown as Json }, isError: false };
}
