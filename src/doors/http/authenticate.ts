import { type AccessToken, RIGHTS, type Right } from '../../contracts/access.js';
import type { Person } from '../../contracts/people.js';
import { AbilityError } from '../../contracts/problem.js';
import { oneLine } from '../../rules/shown-text.js';
import type { HttpCaller } from './caller.js';
import type { Shown } from './read-claims.js';
import { readClaims } from './read-claims.js';

/** How a door knows who asks. */
export interface Authentication {
  /** The token that a bearer shows, where it opens the project now. */
  findToken(text: string): AccessToken | undefined;
  /** Who asks where no token comes with a request; left out: a token is needed. */
  local?: Person | undefined;
  /** Whether {@link Authentication.local} may say that another person asks: only who is that user reaches the door. */
  believesClaims?: boolean | undefined;
  /** The header in which a proxy names who asks, in small letters. */
  proxyHeader?: string | undefined;
}

const BEARER = /^Bearer +([\x21-\x7e]{1,200})$/i;
const MOST_NAME = 100;

/**
 * Who sends a request: the bearer of a token, the person whom a trusted proxy names, or the user who runs the door.
 *
 * A token that opens nothing is refused, whatever else there is: nothing is fallen back to.
 *
 * @throws AbilityError `door.unauthenticated`; as {@link readClaims}.
 */
export function authenticate(authentication: Authentication, shown: Shown): HttpCaller {
  return readClaims(identify(authentication, shown), shown, authentication.believesClaims ?? false);
}

function identify({ findToken, local, proxyHeader }: Authentication, { headers }: Shown): HttpCaller {
  const { authorization } = headers;
  if (authorization !== undefined) {
    const [, text] = BEARER.exec(String(authorization)) ?? [];
    const token = text === undefined ? undefined : findToken(text);
    if (!token || text === undefined)
      throw unauthenticated('The token opens nothing: it is unknown, expired or revoked');
    return callerOfToken(token, text);
  }
  if (proxyHeader !== undefined) return callerOfProxy(headers[proxyHeader], proxyHeader);
  if (!local) throw unauthenticated('This door takes no request without a token');
  // Every user and agent of this machine reaches the port, so that no decision is taken from here.
  return { person: local, rights: new Set<Right>(['read', 'run']), name: 'local' };
}

function callerOfToken({ id, person, agent, can }: AccessToken, text: string): HttpCaller {
  const rights = new Set(can);
  if (agent === undefined) {
    return { person: { name: person, source: 'claimed' }, kind: 'person', rights, name: id, token: text };
  }
  rights.delete('approve');
  const known: Person = { name: person, source: 'claimed', agent };
  return { person: known, kind: 'agent', rights, name: id, token: text };
}

function callerOfProxy(value: string | string[] | undefined, header: string): HttpCaller {
  const name = typeof value === 'string' ? value.trim() : '';
  // Of a header that came twice, once from who asks, Node makes one with a comma.
  if (name === '' || name.length > MOST_NAME || oneLine(name) !== name || name.includes(',')) {
    throw unauthenticated(`The proxy names no person in ${header}`);
  }
  return { person: { name, source: 'claimed' }, kind: 'person', rights: new Set(RIGHTS), name: `proxy:${name}` };
}

/** @throws AbilityError `door.unauthenticated` where a token could help, `door.forbidden` where the one that came cannot. */
export function refuseWithoutRight({ rights, token, person }: HttpCaller, right: Right): void {
  if (rights.has(right)) return;
  if (token === undefined) {
    throw unauthenticated('Decisions over HTTP take a token: anyone on this machine reaches this port');
  }
  const whose = person.agent === undefined ? 'This token' : `The token of the agent ${person.agent}`;
  throw new AbilityError({
    code: 'door.forbidden',
    message: `${whose} may ${[...rights].join(', ')}, and not ${right}`,
    suggestion:
      person.agent === undefined
        ? `Use a token with that right: \`ability token create --person NAME --can ${right}\`.`
        : 'Ask a person to do it, with a token of their own.',
  });
}

function unauthenticated(message: string): AbilityError {
  return new AbilityError({
    code: 'door.unauthenticated',
    message,
    suggestion: 'Send `authorization: Bearer TOKEN` with a token of `ability token create`.',
  });
}
