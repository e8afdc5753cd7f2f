import { usageError } from '../../../../contracts/problem.js';
import { openTokens } from '../../input/read-token.js';
import { type Context, openRegistry, printAnswer } from '../../program/context.js';

/** `ability token revoke ID`: revokes a token at once, for every process. */
export async function run(context: Context, [id]: [string]): Promise<void> {
  const token = openTokens(await openRegistry(context)).revoke(id);
  if (!token) {
    throw usageError(
      `This project has no token ${JSON.stringify(id)}`,
      'Run `ability token list`; the id of a token is the part between its two underscores.',
    );
  }
  printAnswer(context, token, () => `${token.id} of ${token.person} is revoked`);
}
