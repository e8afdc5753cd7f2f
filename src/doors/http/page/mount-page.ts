import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { RIGHTS } from '../../../contracts/access.js';
import { AbilityError } from '../../../contracts/problem.js';
import { PAGE_FOLDER } from '../../../server/installation.js';
import { refusedFrom } from '../authenticate.js';
import type { HttpDoor } from '../http-door.js';
import { type Attempt, type OidcDoor, SignInError } from '../oidc/provider.js';
import type { RateLimit } from '../rate-limit.js';
import { readInput } from '../route.js';
import { cookieHeader, cookieToken, type PageDoor } from './page-door.js';

/** The views of the page, which are part of its address. */
const VIEWS = [
  '/',
  '/inbox',
  '/tasks',
  '/tasks/*',
  '/abilities',
  '/abilities/*',
  '/schedules',
  '/gaps',
  '/sign-in',
  '/device',
];
/** How long a link's person stays signed in, in seconds. */
const SIGNED_IN_S = 12 * 3600;
const SECONDS = 1000;

/** Nothing comes from elsewhere, and nothing that is not a file of ours runs or styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const FILES = { 'page.js': 'text/javascript', 'page.css': 'text/css', 'icon.svg': 'image/svg+xml' } as const;

/** Whether a request opens a view in a browser: links from elsewhere lead there, and it has no data. */
export function opensView({ method, url, headers }: Pick<FastifyRequest, 'method' | 'url' | 'headers'>): boolean {
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && !/^\/(v1|mcp|metrics)\b/.test(url);
}

/** Serves the page for people, and lets them in and out. */
export function mountPage(app: FastifyInstance, door: HttpDoor, page: PageDoor, rates: RateLimit): void {
  const headers = { 'content-security-policy': POLICY, 'referrer-policy': 'same-origin' };
  const file = (name: string): Buffer => readFileSync(join(PAGE_FOLDER, name));
  for (const view of VIEWS) {
    app.get(view, (request, reply) => {
      rates.take(`page ${request.ip}`);
      return reply.headers(headers).type('text/html; charset=utf-8').send(file('index.html'));
    });
  }
  for (const [name, type] of Object.entries(FILES)) {
    app.get(`/page/${name}`, (_, reply) => reply.headers(headers).type(`${type}; charset=utf-8`).send(file(name)));
  }
  const cookieOf = ({ text, expires_at }: { text: string; expires_at: string }): string =>
    cookieHeader(page, text, ((Date.parse(expires_at) - Date.now()) / SECONDS) | 0);
  if (page.oidc) mountOidc(app, door, page, page.oidc, rates, cookieOf);

  app.get('/page/ways', async () => ({ oidc: page.oidc?.name ?? null }));

  app.get('/page/open', (request, reply) => {
    rates.take(refusedFrom(request));
    const { link } = request.query as { link?: unknown };
    const found = typeof link === 'string' ? page.links?.take(link) : undefined;
    if (!found) return reply.redirect('/sign-in?link=used', 303);
    const token = page.createToken({
      person: found.person,
      can: RIGHTS,
      expiresMs: SIGNED_IN_S * SECONDS,
      page: true,
    });
    return reply.header('set-cookie', cookieOf(token)).redirect(found.to, 303);
  });
  app.post('/page/sign-in', (request, reply) => {
    rates.take(refusedFrom(request));
    const { token: text } = readInput(z.strictObject({ token: z.string().max(200) }), request.body) as {
      token: string;
    };
    const token = door.authentication.findToken(text.trim());
    if (!token) {
      throw new AbilityError({
        code: 'door.unauthenticated',
        message: 'The token is not valid: it is unknown, expired or revoked',
        suggestion: 'Ask for one: `ability token create --person NAME --can read,run,approve`.',
      });
    }
    return reply
      .header('set-cookie', cookieOf({ ...token, text: text.trim() }))
      .code(204)
      .send();
  });
  app.post('/page/sign-out', (request, reply) => {
    const text = cookieToken(request.headers.cookie, page.cookie);
    const token = text === undefined ? undefined : door.authentication.findToken(text);
    // A token of `ability token create` is used elsewhere, too.
    if (token?.page) page.revokeToken(token.id);
    // Else the provider would let in the next person at this browser.
    const next = token?.oidc && page.oidc?.provider.endUrl();
    return reply.header('set-cookie', cookieHeader(page, '', 0)).send({ next: next ?? null });
  });
}

const CALLBACK = '/page/oidc';
/** Seconds in which a person comes back from the provider. */
const ATTEMPT_S = 600;
const PATH = /^\/(?![/\\])[\x21-\x7e]{0,1999}$/;

/**
 * The way to the provider and back. What belongs to one attempt is in a cookie of the browser that began it, which the
 * browser sends along when the provider leads it back (`SameSite=Lax`), and which is removed then.
 */
function mountOidc(
  app: FastifyInstance,
  door: HttpDoor,
  page: PageDoor,
  oidc: OidcDoor,
  rates: RateLimit,
  signIn: (token: { text: string; expires_at: string }) => string,
): void {
  const name = `${page.cookie}_oidc`;
  const cookieOf = (value: string, seconds: number): string =>
    `${name}=${value}; Path=${CALLBACK}; HttpOnly; SameSite=Lax; Max-Age=${seconds}${page.isSecure ? '; Secure' : ''}`;
  const originOf = ({ host }: FastifyRequest): string => oidc.origin ?? `${page.isSecure ? 'https' : 'http'}://${host}`;

  app.get(`${CALLBACK}/start`, async (request, reply) => {
    rates.take(refusedFrom(request));
    const { to } = request.query as { to?: unknown };
    const wanted = typeof to === 'string' && PATH.test(to) ? to : '/inbox';
    const { attempt, url } = await oidc.provider.begin(wanted, `${originOf(request)}${CALLBACK}`);
    const value = Buffer.from(JSON.stringify(attempt)).toString('base64url');
    return reply.header('set-cookie', cookieOf(value, ATTEMPT_S)).redirect(url, 303);
  });

  app.get(CALLBACK, async (request, reply) => {
    rates.take(refusedFrom(request));
    const ended = cookieOf('', 0);
    try {
      const attempt = attemptIn(cookieToken(request.headers.cookie, name));
      const { person, oidc: identity } = await oidc.provider.finish(new URL(request.url, originOf(request)), attempt);
      const token = page.createToken({ person, can: ['read'], page: true, oidc: identity, expiresMs: oidc.sessionMs });
      return reply.headers({ 'set-cookie': [ended, signIn(token)] }).redirect(attempt.to, 303);
    } catch (error) {
      const why = error instanceof SignInError ? error.why : 'failed';
      door.note(`No one was signed in: ${error instanceof Error ? error.message : String(error)}`);
      return reply.header('set-cookie', ended).redirect(`/sign-in?failed=${why}`, 303);
    }
  });
}

/** @throws SignInError `late`: another browser began it, or this one long ago. */
function attemptIn(value: string | undefined): Attempt {
  try {
    const { state, nonce, verifier, to } = JSON.parse(Buffer.from(value ?? '', 'base64url').toString()) as Attempt;
    const isWhole = [state, nonce, verifier].every((text) => typeof text === 'string' && text !== '');
    if (isWhole && PATH.test(to)) return { state, nonce, verifier, to };
  } catch {
    // As for another form.
  }
  throw new SignInError('late', 'the browser did not begin this sign-in, or began it too long ago');
}
