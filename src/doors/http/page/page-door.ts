import { createHash, randomBytes } from 'node:crypto';
import type { AccessToken, NewToken } from '../../../contracts/access.js';
import type { TokenFolder } from '../../../server/keys/tokens/token-folder.js';
import type { DeviceLogins } from '../login/device-logins.js';
import type { OidcDoor } from '../oidc/provider.js';

/** How a door serves the page for people. */
export interface PageDoor {
  /** Name of the cookie with a token; of the project, since cookies are shared by all ports of a host. */
  cookie: string;
  /** Whether the cookie is only sent over TLS. */
  isSecure: boolean;
  /** Makes the token of a person that a link lets in. */
  createToken(token: Omit<NewToken, 'createdBy'>): AccessToken & { text: string };
  /** Ends a token that {@link createToken} made. */
  revokeToken(id: string): void;
  /** Left out: this door accepts no links. */
  links?: OneTimeLinks;
  /** Left out: this door gives command lines no tokens. */
  logins?: DeviceLogins;
  /** Left out: this door knows no OpenID provider. */
  oidc?: OidcDoor | undefined;
}

/** The token in the cookie of a request; undefined if there is none. */
export function cookieToken(cookie: string | undefined, name: string): string | undefined {
  const pairs = (cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  const [, value] = pairs.find(([key]) => key === name) ?? [];
  return value === undefined || value === '' ? undefined : value;
}

/** @param value empty: the cookie is removed. */
export function cookieHeader({ cookie, isSecure }: PageDoor, value: string, seconds: number): string {
  const life = value === '' ? 0 : seconds;
  return `${cookie}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${life}${isSecure ? '; Secure' : ''}`;
}

/** The page of a project. @param isSecure whether browsers reach the door over TLS. */
export function pageOf({
  root,
  tokens,
  ...rest
}: Pick<PageDoor, 'isSecure' | 'links' | 'logins' | 'oidc'> & { root: string; tokens: TokenFolder }): PageDoor {
  return {
    ...rest,
    cookie: `ability_${createHash('sha256').update(root).digest('hex').slice(0, 12)}`,
    createToken: (token) => {
      tokens.removeOldPages();
      return tokens.create({ ...token, createdBy: { name: token.person, source: 'claimed' } });
    },
    revokeToken: (id) => void tokens.revoke(id),
  };
}

/** Milliseconds in which a link can be used. */
const VALID_MS = 120_000;
const MAX_OPEN = 100;

/** Whom a link lets in, and where it leads. */
interface Link {
  person: string;
  /** A path of the page. */
  to: string;
}

/** Links that let a person in once. Kept in memory only: none outlives the process that gave it. */
export class OneTimeLinks {
  private readonly open = new Map<string, Link & { until: number }>();

  /** @returns the secret part of the link. */
  create(link: Link, now = Date.now()): string {
    for (const [key, { until }] of this.open) if (until <= now || this.open.size >= MAX_OPEN) this.open.delete(key);
    const secret = randomBytes(32).toString('base64url');
    this.open.set(hashOf(secret), { ...link, until: now + VALID_MS });
    return secret;
  }

  /** Ends the link. @returns undefined if it is unknown, late, or was used. */
  take(secret: string, now = Date.now()): Link | undefined {
    const key = hashOf(secret);
    const link = this.open.get(key);
    this.open.delete(key);
    return link && now < link.until ? { person: link.person, to: link.to } : undefined;
  }
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
