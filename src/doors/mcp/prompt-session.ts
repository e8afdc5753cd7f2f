import { z } from 'zod';
import { type Connection, promptSession } from '../../client/index.js';
import type { Json } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { MAX_PROMPT } from '../../rules/sessions/read-session-start.js';
import { withWarnings } from './answers.js';
import type { ToolAnswer, ToolCall } from './mcp-door.js';

export const promptInput = z.strictObject({ text: z.string().max(MAX_PROMPT).describe('As the user wrote it.') });

/** Returns what an AI reads before it decides. @throws AbilityError as `promptSession`. Source: R-002-42. */
export async function prompt(call: ToolCall, { text }: z.output<typeof promptInput>): Promise<ToolAnswer> {
  const { door, visitor, caller } = call;
  const connection = await call.loan.connect();
  const context = await visitor.session.use(connection, door, caller, (session) =>
    promptSession(connection, session, text, caller),
  );
  visitor.session.remember(context);
  return { data: { turn_context: context as unknown as Json }, isError: false };
}

/** Adds the turn context, if it has changed since the last answer. Source: R-002-42. */
export async function withTurnContext(
  { visitor }: ToolCall,
  connection: Connection,
  answer: ToolAnswer,
): Promise<ToolAnswer> {
  try {
    const change = await visitor.session.readChange(connection);
    if (!change) return answer;
    return { ...answer, data: { ...answer.data, turn_context: change as unknown as Json } };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    // The task has run, so its answer must not be lost.
    return withWarnings(answer, [`turn_context cannot be read: ${error.code}: ${error.message}`]);
  }
}
