import type { AccessToken } from '../../../../contracts/access.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { openTokens } from '../../input/read-token.js';
import { formatDistance } from '../../output/format-time.js';
import { renderTable } from '../../output/render-table.js';
import { type Context, openRegistry } from '../../program/context.js';

/** `ability token list`: the project's tokens, including expired and revoked ones. */
export async function run(context: Context): Promise<void> {
  const { terminal, flags } = context;
  const { tokens, unreadable } = openTokens(await openRegistry(context)).list();
  if (flags.json) terminal.printJson(tokens);
  else if (tokens.length === 0) terminal.note('There are no tokens.');
  else terminal.print(renderTable(['TOKEN', 'PERSON', 'AGENT', 'CAN', 'STATUS', 'CREATED'], tokens.map(rowOf)));
  for (const name of unreadable) {
    terminal.note(
      `${terminal.style('yellow', 'warning')} .system/tokens/${oneLine(name)} is not accepted: it is no token of this project, or others may read it`,
    );
  }
}

function rowOf(token: AccessToken): string[] {
  const { id, person, agent = '', can, created_at } = token;
  return [id, person, agent, can.join(','), statusOf(token, Date.now()), formatDistance(created_at)];
}

function statusOf({ revoked_at, expires_at }: AccessToken, now: number): string {
  if (revoked_at !== undefined) return 'revoked';
  return now < Date.parse(expires_at) ? `until ${expires_at.slice(0, 10)}` : 'expired';
}
