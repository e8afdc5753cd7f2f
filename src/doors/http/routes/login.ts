import { z } from 'zod';
import { RIGHTS } from '../../../contracts/access.js';
import { AbilityError } from '../../../contracts/problem.js';
import { answer } from '../../../operations/operation.js';
import { isDuration, parseDuration } from '../../../rules/duration.js';
import { hasRight } from '../../../rules/rights.js';
import { oneLine } from '../../../rules/shown-text.js';
import { authenticate } from '../authenticate.js';
import type { DeviceLogins, Grant } from '../login/device-logins.js';
import type { PageDoor } from '../page/page-door.js';
import { defineRoute, type HttpCall, type Route } from '../route.js';

/** How long a command line stays signed in at most. */
const LONGEST_MS = 12 * 3_600_000;

type Call = HttpCall<unknown, unknown, unknown>;

const asked = z.strictObject({
  user_code: z.string(),
  client: z.string().describe('What it says that it is: a claim.'),
  address: z.string().nullable().describe('Where it asked from; null behind a proxy.'),
  asked_at: z.string(),
});

const beginRoute: Route = defineRoute({
  name: 'beginLogin',
  method: 'POST',
  path: '/v1/login/device',
  summary: 'Ask for the token of a command line, which a person confirms on the page (the device flow of RFC 8628).',
  right: null,
  body: z.strictObject({
    client: z
      .string()
      .min(1)
      .max(200)
      .refine((text) => oneLine(text) === text, 'It is not one line')
      .describe('Who asks, as the person will read it.'),
    expires: z
      .string()
      .refine((text) => isDuration(text) && within(parseDuration(text)), 'It is no duration of at most 12h')
      .default('12h')
      .describe('How long the token is wanted.'),
  }),
  answers: answer(
    'What to show to the person, and the secret code of the client.',
    z.strictObject({
      device_code: z.string(),
      user_code: z.string(),
      verification_uri: z.string(),
      verification_uri_complete: z.string(),
      expires_in: z.int().describe('Seconds.'),
      interval: z.int().describe('Seconds between two requests for the token.'),
    }),
  ),
  async handle({ door, headers, body: { client, expires }, raw }) {
    const { logins, isSecure } = pageOf({ door });
    const begun = logins.begin(client, raw.req.socket.remoteAddress ?? '', parseDuration(expires));
    const verification_uri = `${isSecure ? 'https' : 'http'}://${String(headers.host)}/device`;
    const verification_uri_complete = `${verification_uri}?code=${begun.user_code}`;
    return { status: 200, body: { ...begun, verification_uri, verification_uri_complete } };
  },
});

const tokenRoute: Route = defineRoute({
  name: 'finishLogin',
  method: 'POST',
  path: '/v1/login/token',
  summary:
    'The token of a confirmed login, once; until then the codes of RFC 8628, such as `door.authorization_pending`.',
  right: null,
  body: z.strictObject({ device_code: z.string().min(1).max(200) }),
  answers: answer(
    'Confirmed.',
    z.strictObject({
      access_token: z.string(),
      token_type: z.literal('Bearer'),
      expires_in: z.int().describe('Seconds.'),
      expires_at: z.string(),
      person: z.string(),
      can: z.array(z.enum(RIGHTS)).describe('With what the groups of the person give now.'),
    }),
  ),
  async handle({ door, body: { device_code } }) {
    const { logins, createToken } = pageOf({ door });
    const wanted = logins.take(device_code);
    const { text, person, expires_at } = createToken(wanted);
    // What the groups of a provider give is not part of the token.
    const { rights } = authenticate(door.authentication, { headers: { authorization: `Bearer ${text}` } });
    const can = RIGHTS.filter((right) => hasRight(rights, right));
    const expires_in = Math.floor(wanted.expiresMs / 1000);
    return { status: 200, body: { access_token: text, token_type: 'Bearer', expires_in, expires_at, person, can } };
  },
});

const confirmRoute: Route = defineRoute({
  name: 'confirmLogin',
  method: 'POST',
  path: '/v1/login/confirm',
  summary: 'On the page: who asks with a code, and the answer of the person who is signed in.',
  right: 'read',
  body: z.strictObject({
    user_code: z.string().min(1).max(20),
    decision: z.enum(['confirm', 'deny']).optional().describe('Left out: only look.'),
  }),
  answers: answer('The login; it was answered if there was a decision.', asked),
  async handle(call) {
    const { user_code, decision } = call.body;
    const { logins } = pageOf(call);
    const grant = grantOf(call as Call);
    const { name } = call.caller;
    if (decision === undefined) return { status: 200, body: logins.find(user_code, name) };
    return { status: 200, body: logins.answer(user_code, name, decision === 'confirm' ? grant : 'denied') };
  },
});

const logoutRoute: Route = defineRoute({
  name: 'logOut',
  method: 'POST',
  path: '/v1/logout',
  summary: 'End the token that the request is sent with, at once and for good.',
  right: 'read',
  body: z.strictObject({}),
  answers: answer('It has ended.', z.strictObject({ status: z.literal('ended'), id: z.string() })),
  async handle({ door, caller, headers }) {
    const token = headers.authorization === undefined ? undefined : door.authentication.findToken(caller.token ?? '');
    if (!token) throw notSignedIn('Only the bearer of a token can end it');
    pageOf({ door }).revokeToken(token.id);
    return { status: 200, body: { status: 'ended', id: token.id } };
  },
});

export const loginRoutes: readonly Route[] = [beginRoute, tokenRoute, confirmRoute, logoutRoute];

function within(ms: number): boolean {
  return ms > 0 && ms <= LONGEST_MS;
}

/** @throws AbilityError `feature.unsupported` at doors without logins, such as the socket of a runtime. */
function pageOf({ door: { page } }: Pick<Call, 'door'>): PageDoor & { logins: DeviceLogins } {
  if (page?.logins) return { ...page, logins: page.logins };
  throw new AbilityError({
    code: 'feature.unsupported',
    message: 'This door lets no command line sign in',
    suggestion: 'Use the address of `ability serve`.',
  });
}

/**
 * What a session hands on: its person, rights and limits, and no more proof than it has itself.
 * @throws AbilityError `approval.by_agent`, `door.forbidden` unless a browser sends it, `door.unauthenticated`.
 */
function grantOf({ door: { authentication }, caller, headers }: Call): Grant {
  if (caller.person.agent !== undefined) {
    const message = 'Agents let no one in';
    throw new AbilityError({ code: 'approval.by_agent', message, suggestion: 'Ask a person to confirm it.' });
  }
  if (headers.authorization !== undefined) {
    const message = 'A login is confirmed on the page, by a person who is signed in there';
    throw new AbilityError({
      code: 'door.forbidden',
      message,
      suggestion: 'Open the address that `ability login` printed.',
    });
  }
  const token = caller.token === undefined ? undefined : authentication.findToken(caller.token);
  if (token) {
    const { person, can, within: limits, oidc, page, claimed, expires_at } = token;
    return { person, can, within: limits, oidc, page, claimed, until: Date.parse(expires_at) };
  }
  if (authentication.proxyHeader === undefined) throw notSignedIn('A login is confirmed by a person who is signed in');
  // Any program of this machine can send what the proxy sends.
  return { person: caller.person.name, can: RIGHTS, claimed: true, until: Number.POSITIVE_INFINITY };
}

function notSignedIn(message: string): AbilityError {
  return new AbilityError({ code: 'door.unauthenticated', message, suggestion: 'Sign in on the page first.' });
}
