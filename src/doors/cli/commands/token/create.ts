import { RIGHTS, type Right } from '../../../../contracts/access.js';
import { usageError } from '../../../../contracts/problem.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { didYouMean } from '../../../../text/nearest.js';
import { readDuration } from '../../input/flag-values.js';
import { refuseAgents } from '../../input/read-caller.js';
import { openTokens } from '../../input/read-token.js';
import type { AccessFlags } from '../../program/access.js';
import { type Context, currentUser, openRegistry, printAnswer } from '../../program/context.js';

const LONGEST_MS = 366 * 24 * 3_600_000;
const MAX_CHARACTERS = 100;

/** `ability token create`: prints a token once. Only the token goes to stdout, for a secret store. */
export async function run(context: Context, _: [], flags: AccessFlags['createToken']): Promise<void> {
  refuseAgents(context);
  const { terminal } = context;
  const can = readRights(flags.can);
  const expiresMs = readDuration('--expires', flags.expires);
  if (expiresMs <= 0 || expiresMs > LONGEST_MS) {
    throw usageError(`--expires ${flags.expires} is not within 366 days`, 'Use for example 30m, 24h or 90d.');
  }
  const person = readName('--person', flags.person);
  const agent = flags.agent === undefined ? undefined : readName('--agent', flags.agent);
  const tokens = openTokens(await openRegistry(context));
  const { text, ...token } = tokens.create({ person, agent, can, expiresMs, createdBy: currentUser(context.env) });
  printAnswer(context, { ...token, token: text }, () => text);
  const whose = agent === undefined ? person : `the agent ${agent} for ${person}`;
  terminal.note(
    `${token.id} belongs to ${whose}, may ${token.can.join(', ')}, and is valid until ${token.expires_at}.`,
  );
  terminal.note('It is not shown again; only its hash is kept.');
}

function readRights(text: string): Right[] {
  const words = text.split(',').map((word) => word.trim());
  return words.map((word) => {
    const right = RIGHTS.find((known) => known === word);
    if (right) return right;
    throw usageError(
      `--can ${text}: ${JSON.stringify(word)} is no right`,
      didYouMean(word, RIGHTS) ?? `There are: ${RIGHTS.join(', ')}.`,
    );
  });
}

/** A name appears in many places, each time on one line. */
function readName(flag: string, text: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= MAX_CHARACTERS && oneLine(name) === name) return name;
  throw usageError(
    `${flag} ${JSON.stringify(text)} is no name`,
    `A name is one line of 1 to ${MAX_CHARACTERS} characters.`,
  );
}
