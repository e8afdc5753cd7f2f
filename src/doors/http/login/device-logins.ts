import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { NewToken } from '../../../contracts/access.js';
import { AbilityError } from '../../../contracts/problem.js';
import { RateLimit } from '../rate-limit.js';

/** Without vowels, so that no code is a word. Source: RFC 8628, 6.1. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const CODE_LENGTH = 8;
const VALID_MS = 600_000;
/** Between two questions whether a person has answered. Milliseconds. */
const INTERVAL_MS = 2000;
/** How much longer a client that asks too often has to wait each time. Source: RFC 8628, 3.5. */
const SLOWER_MS = 5000;
const MAX_OPEN = 1000;

/** A command line that wants a token, as the person sees it who is to confirm it. */
export interface AskedLogin {
  user_code: string;
  /** What it says that it is: a claim. */
  client: string;
  /** Where its request came from; null where that is only known to a proxy. */
  address: string | null;
  asked_at: string;
}

/** What the session that confirms hands on; it ends with that session. */
export interface Grant extends Omit<NewToken, 'expiresMs' | 'createdBy'> {
  /** Milliseconds since 1970. */
  until: number;
}

interface Open extends AskedLogin {
  codeHash: string;
  lifeMs: number;
  until: number;
  askedLast: number;
  intervalMs: number;
  answer?: Grant | 'denied';
}

/**
 * Logins of command lines between their request and their token: the device flow of RFC 8628. Kept in memory only: none
 * outlives the process. Both codes are found by their hashes.
 */
export class DeviceLogins {
  private readonly open = new Map<string, Open>();
  private readonly starts = new RateLimit({ burst: 20, perSecond: 0.2 });
  private readonly guesses = new RateLimit({ burst: 10, perSecond: 0.05 });

  /** @param isProxied whether a proxy hides the addresses of clients. */
  constructor(private readonly isProxied: boolean) {}

  /** @param lifeMs how long the token is wanted. @throws AbilityError `door.too_many`. */
  begin(client: string, from: string, lifeMs: number, now = Date.now()) {
    this.starts.take(from);
    for (const [key, { until }] of this.open) if (until <= now) this.open.delete(key);
    if (this.open.size >= MAX_OPEN) {
      throw new AbilityError({ code: 'door.too_many', message: `${MAX_OPEN} logins wait for a person already` });
    }
    const device_code = randomBytes(32).toString('base64url');
    const letters = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
    const user_code = `${letters.slice(0, 4)}-${letters.slice(4)}`;
    const asked = { user_code, client, address: this.isProxied ? null : from, asked_at: new Date(now).toISOString() };
    const times = { lifeMs, until: now + VALID_MS, askedLast: now, intervalMs: INTERVAL_MS };
    this.open.set(hashOf(device_code), { ...asked, ...times, codeHash: hashOf(letters) });
    return { device_code, user_code, expires_in: VALID_MS / 1000, interval: INTERVAL_MS / 1000 };
  }

  /** The login of a code that a person typed. @param who counts wrong codes. @throws AbilityError `door.no_login`, `door.too_many`. */
  find(code: string, who: string, now = Date.now()): AskedLogin {
    return asShown(this.waiting(code, who, now));
  }

  /** Confirms or denies, once. @throws AbilityError as {@link find}. */
  answer(code: string, who: string, answer: Grant | 'denied', now = Date.now()): AskedLogin {
    const login = this.waiting(code, who, now);
    login.answer = answer;
    return asShown(login);
  }

  /**
   * What the token of a client may be, once.
   * @throws AbilityError `door.authorization_pending`, `door.slow_down`, `door.access_denied`, `door.expired_token`.
   */
  take(deviceCode: string, now = Date.now()): Omit<NewToken, 'createdBy'> {
    const key = hashOf(deviceCode);
    const login = this.open.get(key);
    if (!login || now >= login.until) throw expired();
    const isEarly = now - login.askedLast < login.intervalMs;
    login.askedLast = now;
    if (isEarly) {
      login.intervalMs += SLOWER_MS;
      const message = `Ask at most every ${login.intervalMs / 1000} s`;
      throw new AbilityError({ code: 'door.slow_down', message });
    }
    const { answer, lifeMs } = login;
    if (!answer) throw new AbilityError({ code: 'door.authorization_pending', message: 'No one has answered yet' });
    this.open.delete(key);
    if (answer === 'denied') throw new AbilityError({ code: 'door.access_denied', message: 'The login was denied' });
    const { until, ...token } = answer;
    if (until <= now) throw expired();
    return { ...token, expiresMs: Math.min(lifeMs, until - now) };
  }

  private waiting(code: string, who: string, now: number): Open {
    const hash = hashOf(code.toUpperCase().replaceAll(/[\s-]/g, ''));
    const login = [...this.open.values()].find(({ codeHash }) => codeHash === hash);
    if (login && now < login.until && !login.answer) return login;
    this.guesses.take(who);
    throw new AbilityError({
      code: 'door.no_login',
      message: 'No command line waits with this code: it is wrong, too old, or was answered',
      suggestion: 'Compare it with what `ability login` printed, or run that again.',
    });
  }
}

function asShown({ user_code, client, address, asked_at }: Open): AskedLogin {
  return { user_code, client, address, asked_at };
}

function expired(): AbilityError {
  return new AbilityError({
    code: 'door.expired_token',
    message: 'The code is no longer valid: it is unknown, too old, or was used',
    suggestion: 'Run `ability login` again.',
  });
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
