import { promptSession } from '../../../../client/index.js';
import { usageError } from '../../../../contracts/problem.js';
import { MAX_PROMPT } from '../../../../rules/sessions/read-session-start.js';
import { renderTurn } from '../../output/render-session.js';
import { type Context, currentUser, openRegistry, printAnswer, withSession } from '../../program/context.js';

/** `ability session prompt SESSION TEXT|-`: runs the hooks of a prompt, prints what an AI reads first. */
export async function run(context: Context, [session, text]: [string, string]): Promise<void> {
  const { terminal } = context;
  const prompt = text === '-' ? terminal.readInput() : text;
  if (prompt.length > MAX_PROMPT) {
    const message = `The prompt has ${prompt.length} characters; the maximum is ${MAX_PROMPT}`;
    throw usageError(message, 'Put long content into a file of the project.');
  }
  return withSession(context, await openRegistry(context), async (connection) => {
    const turn = await promptSession(connection, session, prompt, currentUser(context.env));
    printAnswer(context, turn, () => renderTurn(turn).join('\n'));
  });
}
