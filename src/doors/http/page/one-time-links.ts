import { createHash, randomBytes } from 'node:crypto';

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
