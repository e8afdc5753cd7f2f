import { EXIT, type ExitCode } from '../../../../contracts/exit-codes.js';
import { AbilityError } from '../../../../contracts/problem.js';
import { openTokens } from '../../input/open-tokens.js';
import { type Context, openRegistry } from '../../program/context.js';

/** `ability token revoke ID`: from now on it opens nothing, in any process. */
export async function run(context: Context, [id]: [string]): Promise<ExitCode> {
  const token = openTokens(await openRegistry(context)).revoke(id);
  if (!token) {
    throw new AbilityError({
      code: 'usage.invalid',
      message: `This project has no token ${JSON.stringify(id)}`,
      suggestion: 'Run `ability token list`; the id of a token is the part between its two underscores.',
    });
  }
  if (context.flags.json) context.terminal.printJson(token);
  else context.terminal.print(`${token.id} of ${token.person} is revoked`);
  return EXIT.ok;
}
