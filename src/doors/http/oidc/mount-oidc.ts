import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refusedFrom } from '../authenticate.js';
import type { HttpDoor } from '../http-door.js';
import { cookieToken, type PageDoor } from '../page/page-door.js';
import type { RateLimit } from '../rate-limit.js';
import { type Attempt, type OidcDoor, SignInError } from './provider.js';

const CALLBACK = '/page/oidc';
/** Seconds in which a person comes back from the provider. */
const ATTEMPT_S = 600;
const PATH = /^\/(?![/\\])[\x21-\x7e]{0,1999}$/;

/**
 * The way to the provider and back. What belongs to one attempt is in a cookie of the browser that began it, which the
 * browser sends along when the provider leads it back (`SameSite=Lax`), and which is removed then.
 */
export function mountOidc(
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
