import type { FastifyRequest } from 'fastify';
import { type AccessToken, RIGHTS, type Right, type Rights, USER_CLAIM } from '../../contracts/access.js';
import type { Admitted } from '../../contracts/approvals.js';
import type { Caller, Person } from '../../contracts/callers.js';
import { AbilityError } from '../../contracts/problem.js';
import { readCaller } from '../../operations/read-caller.js';
import { ALL_RIGHTS, hasRight, rightsOf, rightsOfToken } from '../../rules/rights.js';
import { oneLine } from '../../rules/shown-text.js';
import type { DoorKey } from '../../server/keys/door-key.js';
import { provableUser } from '../../server/keys/proof-key.js';
import { cookieToken } from './page/page-door.js';
import type { RateLimit } from './rate-limit.js';

export interface Authentication {
  /** Undefined if the token is unknown, expired or revoked. */
  findToken(text: string): AccessToken | undefined;
  /** The sender of requests without a token; left out: a token is required. */
  local?: Person | undefined;
  /** Whether {@link Authentication.local} may name another requester: no other user reaches the door. */
  believesClaims?: boolean | undefined;
  /** The cookie in which the page sends a token. */
  cookie?: string | undefined;
  /** The header in which a proxy names the user, in lower case. */
  proxyHeader?: string | undefined;
  /** What a person of an OpenID provider may do, whose groups are those of its claim. */
  rightsOfPerson(name: string, groups: readonly string[]): Rights;
  /** The key with which the door signs who decides. @throws AbilityError `approval.unproved` if it cannot be used. */
  doorKey(): DoorKey;
}

export interface HttpCaller {
  person: Person;
  /** Left out if unknown, so that every hook fires. */
  kind?: Caller;
  rights: Rights;
  /** The key for counting the caller's requests. */
  name: string;
  /** The bearer token of the request. */
  token?: string;
  /** How the door knows the person; null: a proxy, or no one, vouches for the name. */
  admitted: Admitted | null;
}

/** The part of a request that identifies its sender. */
export interface Shown {
  headers: Record<string, string | string[] | undefined>;
}

const BEARER = /^Bearer +([\x21-\x7e]{1,200})$/i;
const MAX_NAME = 100;

/** The sender of a request that anyone may send. */
export const ANYONE: HttpCaller = { person: { name: '', source: 'claimed' }, rights: {}, name: '', admitted: null };

/**
 * Who sends a request, if that is allowed. @throws AbilityError `door.unauthenticated`, `door.forbidden`,
 * `door.too_many`.
 */
export function admit(
  authentication: Authentication,
  right: Right,
  request: FastifyRequest,
  rates: RateLimit,
): HttpCaller {
  let caller: HttpCaller;
  try {
    caller = authenticate(authentication, request);
  } catch (error) {
    rates.take(refusedFrom(request));
    throw error;
  }
  rates.take(`caller ${caller.name}`);
  refuseWithoutRight(caller, right);
  return caller;
}

/** Counts refused requests: behind a proxy all have its address, so no others may share this limit. */
export function refusedFrom({ ip }: FastifyRequest): string {
  return `refused ${ip}`;
}

/**
 * The bearer of a token, the person named by a trusted proxy, or the user who runs the door. An invalid token is
 * refused, with no fallback. @throws AbilityError `door.unauthenticated`; as {@link readClaims}.
 */
export function authenticate(authentication: Authentication, shown: Shown): HttpCaller {
  return readClaims(identify(authentication, shown), shown, authentication.believesClaims ?? false);
}

function identify(authentication: Authentication, { headers }: Shown): HttpCaller {
  const { findToken, local, proxyHeader, cookie } = authentication;
  const { authorization } = headers;
  if (authorization !== undefined) {
    const [, text = ''] = BEARER.exec(String(authorization)) ?? [];
    const token = text === '' ? undefined : findToken(text);
    if (!token) throw unauthenticated('The token is not valid: it is unknown, expired or revoked');
    return callerOfToken(authentication, token, text);
  }
  const text = cookie === undefined ? undefined : cookieToken(headers.cookie as string | undefined, cookie);
  if (text !== undefined) {
    const token = findToken(text);
    if (!token) throw unauthenticated('You are no longer signed in');
    return callerOfToken(authentication, token, text);
  }
  if (proxyHeader !== undefined) return callerOfProxy(headers[proxyHeader], proxyHeader);
  if (!local) throw unauthenticated('This door accepts no request without a token');
  // Every user and agent of this machine reaches the port, so it has no right to decide.
  return { person: local, rights: rightsOf('read', 'run'), name: 'local', admitted: null };
}

function callerOfToken({ rightsOfPerson }: Authentication, token: AccessToken, text: string): HttpCaller {
  const { id, person, agent, oidc } = token;
  const rights = oidc && agent === undefined ? rightsOfPerson(person, oidc.groups) : rightsOfToken(token);
  const known = { rights, name: id, token: text, admitted: admittedBy(token) };
  if (agent === undefined) return { ...known, person: { name: person, source: 'claimed' }, kind: 'person' };
  return { ...known, person: { name: person, source: 'claimed', agent }, kind: 'agent' };
}

/** Null where the name is only a claim: of a proxy, or of who ran `ability open`. */
function admittedBy({ id, person, page, claimed, oidc }: AccessToken): Admitted | null {
  if (claimed || (page && !oidc && person !== provableUser())) return null;
  if (!oidc) return { source: 'token', issuer: null, subject: id, groups: [] };
  return { source: 'oidc', issuer: oidc.issuer, subject: oidc.subject, groups: [...oidc.groups] };
}

function callerOfProxy(value: string | string[] | undefined, header: string): HttpCaller {
  const name = typeof value === 'string' ? value.trim() : '';
  // Node joins repeated headers, one perhaps from the client, with a comma.
  if (name === '' || name.length > MAX_NAME || oneLine(name) !== name || name.includes(',')) {
    throw unauthenticated(`The proxy names no person in ${header}`);
  }
  return {
    person: { name, source: 'claimed' },
    kind: 'person',
    rights: ALL_RIGHTS,
    name: `proxy:${name}`,
    admitted: null,
  };
}

/** @throws AbilityError `door.unauthenticated` if a token could help, `door.forbidden` if this one cannot. */
export function refuseWithoutRight({ rights, token, person }: HttpCaller, right: Right): void {
  if (hasRight(rights, right)) return;
  if (token === undefined) {
    throw unauthenticated('Decisions over HTTP require a token: anyone on this machine can reach this port');
  }
  const whose = person.agent === undefined ? 'This token' : `The token of the agent ${person.agent}`;
  throw new AbilityError({
    code: 'door.forbidden',
    message: `${whose} may ${RIGHTS.filter((one) => hasRight(rights, one)).join(', ')}, but not ${right}`,
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

/**
 * Claims are believed over the runtime's socket, open only to its owner, unless there is a token; elsewhere they
 * must match. @throws AbilityError `door.forbidden` for another name, `door.bad_request` for an invalid one.
 */
function readClaims(known: HttpCaller, { headers }: Shown, believes: boolean): HttpCaller {
  const [user, kind] = [nameIn(headers[USER_CLAIM.user]), headers[USER_CLAIM.caller]];
  const isBelieved = believes && known.token === undefined;
  if (!isBelieved) {
    if (user !== undefined && user !== known.person.name) throw otherRequester(user, known.person.name);
    if (kind !== undefined && kind !== known.kind) throw otherRequester(String(kind), known.kind ?? 'of no kind');
    return known;
  }
  return {
    ...known,
    ...(user !== undefined && { person: { name: user, source: 'claimed' } }),
    ...(kind !== undefined && { kind: readCaller({ ABILITY_CALLER: String(kind) }) }),
  };
}

function nameIn(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  try {
    const name = decodeURIComponent(String(header)).trim();
    if (name !== '' && name.length <= MAX_NAME && oneLine(name) === name) return name;
  } catch {
    // Malformed percent-encoding.
  }
  throw new AbilityError({ code: 'door.bad_request', message: `${USER_CLAIM.user} names no person` });
}

function otherRequester(said: string, known: string): AbilityError {
  return new AbilityError({
    code: 'door.forbidden',
    message: `The request names ${oneLine(said)} as its requester, but ${known} sent it`,
    suggestion: `Send it as ${known}, or with a token of ${oneLine(said)}.`,
  });
}
