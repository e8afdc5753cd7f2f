import type { AccessToken } from '../../../contracts/access.js';
import { AbilityError } from '../../../contracts/problem.js';
import type { Registry } from '../../../definitions/registry.js';
import { TokenFolder } from '../../../server/keys/tokens/token-folder.js';
import { readTokenText } from '../../../server/keys/tokens/token-text.js';
import { pathsOf } from '../../../server/project-paths.js';
import type { Context } from '../program/context.js';

export interface CommandToken {
  text: string;
  /** Left out if another user owns the token files; the worker then checks it. */
  token?: AccessToken;
}

/**
 * The token in `ABILITY_TOKEN`; undefined if unset. @throws AbilityError `door.unauthenticated` if it opens
 * nothing; `door.forbidden`, `approval.by_agent` if it may not decide.
 */
export function readToken({ env }: Pick<Context, 'env'>, registry: Registry): CommandToken | undefined {
  const text = env.ABILITY_TOKEN?.trim();
  if (text === undefined || text === '') return undefined;
  if (!readTokenText(text)) throw opensNothing('is no token');
  const folder = openTokens(registry);
  const token = folder.authenticate(text);
  if (token) return { text, token: mayDecide(token) };
  if (folder.isReadable()) throw opensNothing('is unknown here, expired or revoked');
  return { text };
}

function mayDecide(token: AccessToken): AccessToken {
  if (token.agent !== undefined) {
    throw new AbilityError({
      code: 'approval.by_agent',
      message: `ABILITY_TOKEN is the token of the agent ${token.agent}, and agents decide no approval`,
      suggestion: 'Ask a person to decide, with a token of their own.',
    });
  }
  if (token.can.includes('approve')) return token;
  throw new AbilityError({
    code: 'door.forbidden',
    message: `The token in ABILITY_TOKEN may ${token.can.join(', ')}, but not approve`,
    suggestion: 'Make one that may: `ability token create --person NAME --can approve`.',
  });
}

function opensNothing(why: string): AbilityError {
  return new AbilityError({
    code: 'door.unauthenticated',
    message: `The value of ABILITY_TOKEN ${why}`,
    suggestion:
      'Set it to the whole line that `ability token create` printed, or unset it; `ability token list` shows what there is.',
  });
}

export function openTokens({ root, project }: Pick<Registry, 'root' | 'project'>): TokenFolder {
  return new TokenFolder(pathsOf(root).tokens, project.project);
}
