import { type AccessToken, RIGHTS, type Right, type RightLimits } from '../../../contracts/access.js';
import { usageError } from '../../../contracts/problem.js';
import { abilityIds } from '../../../definitions/find-ability.js';
import { rightLimits } from '../../../definitions/formats/access.js';
import type { Registry } from '../../../definitions/registry.js';
import { currentUser, refuseAgents } from '../../../operations/read-caller.js';
import { hasRight, limitsInWords, rightsOfPerson } from '../../../rules/rights.js';
import { oneLine } from '../../../rules/shown-text.js';
import { matchesGlob } from '../../../text/glob.js';
import { didYouMean } from '../../../text/nearest.js';
import { readDuration } from '../input/flag-values.js';
import { openTokens } from '../input/read-token.js';
import { formatDistance } from '../output/format-time.js';
import { renderTable } from '../output/render-table.js';
import type { TokenFlags } from '../program/access.js';
import { type Context, openRegistry, printAnswer, printList } from '../program/context.js';

type Limits = Pick<TokenFlags['create'], 'environments' | 'abilities'>;

const LONGEST_MS = 366 * 24 * 3_600_000;
const MAX_CHARACTERS = 100;

/** `ability token create`: prints a token once. Only the token goes to stdout, for a secret store. */
export async function create(context: Context, _: [], flags: TokenFlags['create']): Promise<void> {
  refuseAgents(context);
  const { terminal } = context;
  const can = readRights(flags.can);
  const expiresMs = readDuration('--expires', flags.expires);
  if (expiresMs <= 0 || expiresMs > LONGEST_MS) {
    throw usageError(`--expires ${flags.expires} is not within 366 days`, 'Use for example 30m, 24h or 90d.');
  }
  const person = readName('--person', flags.person);
  const agent = flags.agent === undefined ? undefined : readName('--agent', flags.agent);
  const registry = await openRegistry(context);
  const within = readLimits(flags, registry);
  const createdBy = currentUser(context.env);
  const { text, ...token } = openTokens(registry).create({ person, agent, can, within, expiresMs, createdBy });
  printAnswer(context, { ...token, token: text }, () => text);
  const whose = agent === undefined ? person : `the agent ${agent} for ${person}`;
  terminal.note(
    `${token.id} belongs to ${whose}, may ${token.can.join(', ')}${whereOf(token)}, and is valid until ${token.expires_at}.`,
  );
  for (const glob of within?.abilities ?? []) {
    if (!abilityIds(registry).some((id) => matchesGlob(glob, id)))
      terminal.note(`No ability is called ${glob} so far.`);
  }
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

/** @throws AbilityError `usage.invalid` for what is no glob, and for environments that the project does not have. */
function readLimits(flags: Limits, registry: Registry): RightLimits | undefined {
  const given = Object.entries({ environments: flags.environments, abilities: flags.abilities }).flatMap(
    ([name, text]) => (text === undefined ? [] : [[name, text.split(',').map((glob) => glob.trim())] as const]),
  );
  if (given.length === 0) return undefined;
  const { success, data, error } = rightLimits.safeParse(Object.fromEntries(given));
  if (!success) {
    const [name] = error.issues[0]?.path ?? [];
    throw usageError(
      `--${String(name)}: ${error.issues[0]?.message}`,
      'Name them with commas between: "report.*,db.read".',
    );
  }
  const names = Object.keys(registry.project.environments);
  const unknown = data.environments?.find((glob) => !names.some((name) => matchesGlob(glob, name)));
  if (unknown === undefined) return data;
  const suggestion = didYouMean(unknown, names) ?? `There are: ${names.join(', ')}.`;
  throw usageError(`--environments ${unknown}: the project has no such environment`, suggestion);
}

function whereOf({ within }: Pick<AccessToken, 'within'>): string {
  return within ? `, limited to ${limitsInWords(within)}` : '';
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

/** `ability token list`: the project's tokens, including expired and revoked ones. */
export async function list(context: Context): Promise<void> {
  const { terminal } = context;
  const registry = await openRegistry(context);
  const { tokens: kept, unreadable } = openTokens(registry).list();
  const tokens = kept.map((token) => ({ ...token, can: rightsNow(token, registry) }));
  printList(context, tokens, 'There are no tokens.', () =>
    renderTable(['TOKEN', 'PERSON', 'AGENT', 'CAN', 'STATUS', 'CREATED'], tokens.map(rowOf)),
  );
  for (const name of unreadable) {
    terminal.note(
      `${terminal.style('yellow', 'warning')} .system/tokens/${oneLine(name)} is not accepted: it is no token of this project, or others may read it`,
    );
  }
}

/** With what the groups of a person give whom a provider signed in: as the project says now. */
function rightsNow({ person: name, can, agent, oidc }: AccessToken, { project }: Registry): Right[] {
  if (!oidc || agent !== undefined) return can;
  const rights = rightsOfPerson({ name, groups: oidc.groups }, project);
  return RIGHTS.filter((right) => hasRight(rights, right));
}

function rowOf(token: AccessToken): string[] {
  const { id, person, agent = '', page, can, created_at, expires_at, revoked_at } = token;
  const valid = Date.now() < Date.parse(expires_at) ? `until ${expires_at.slice(0, 10)}` : 'expired';
  const status = revoked_at === undefined ? valid : 'revoked';
  return [
    id,
    person,
    agent,
    `${can.join(',')}${whereOf(token)}`,
    page ? `on the page, ${status}` : status,
    formatDistance(created_at),
  ];
}

/** `ability token revoke ID`: revokes a token at once, for every process. */
export async function revoke(context: Context, [id]: [string]): Promise<void> {
  const token = openTokens(await openRegistry(context)).revoke(id);
  if (!token) {
    throw usageError(
      `This project has no token ${JSON.stringify(id)}`,
      'Run `ability token list`; the id of a token is the part between its two underscores.',
    );
  }
  printAnswer(context, token, () => `${token.id} of ${token.person} is revoked`);
}
