import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type AccessToken, type NewToken, RIGHTS } from '../../../contracts/access.js';
import { usageError } from '../../../contracts/problem.js';
import { writeWhole } from '../../../disk/write-files.js';
import { attempt } from '../../../text/attempt.js';
import { whyNotPrivate } from '../private-file.js';
import { hashOfSecret, isSameHash, isTokenId, makeTokenText, readTokenText, tokenText } from './token-text.js';

const moment = z.iso.datetime();
const names = z.array(z.string()).readonly();
const keptToken = z.strictObject({
  format: z.literal(1),
  id: z.string().refine(isTokenId),
  project: z.string(),
  person: z.string().min(1),
  agent: z.string().min(1).optional(),
  page: z.literal(true).optional(),
  can: z.array(z.enum(RIGHTS)).min(1),
  within: z.strictObject({ environments: names.optional(), abilities: names.optional() }).optional(),
  oidc: z.strictObject({ issuer: z.string(), subject: z.string(), groups: names }).optional(),
  claimed: z.literal(true).optional(),
  created_at: moment,
  created_by: z.string(),
  expires_at: moment,
  revoked_at: moment.optional(),
  /** Removed when the token is revoked. */
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});
type KeptToken = z.infer<typeof keptToken>;

/** A valid token of the project; its hash is the key for its bearer's proofs. */
export interface OpenToken {
  token: AccessToken;
  hash: string;
}

/**
 * The tokens of a project: a file each in `.system/tokens/`, mode 0600, with a hash in place of the secret. Files
 * are read at each use, so that revoking a token takes effect at once in every process.
 */
export class TokenFolder {
  constructor(
    private readonly folder: string,
    private readonly project: string,
  ) {}

  /** @returns it with its text, kept nowhere. @throws AbilityError `usage.invalid`: agents may not approve. */
  create(
    { person, agent, page, can, within, oidc, claimed, expiresMs, createdBy }: NewToken,
    now = Date.now(),
  ): AccessToken & { text: string } {
    if (agent !== undefined && can.includes('approve')) {
      throw usageError(
        `The token of an agent cannot have the right approve: agents decide nothing`,
        'Leave out approve, or leave out --agent for a token that a person keeps.',
      );
    }
    const made = makeTokenText();
    const token: AccessToken = {
      id: made.id,
      project: this.project,
      person,
      ...(agent !== undefined && { agent }),
      ...(page && { page }),
      can: RIGHTS.filter((right) => can.includes(right)),
      ...(within && { within }),
      ...(oidc && { oidc }),
      ...(claimed && { claimed }),
      created_at: new Date(now).toISOString(),
      created_by: createdBy.name,
      expires_at: new Date(now + expiresMs).toISOString(),
    };
    this.make();
    const kept: KeptToken = { format: 1, ...token, hash: hashOfSecret(made.secret) };
    writeFileSync(this.pathOf(made.id), textOf(kept), { mode: 0o600, flag: 'wx' });
    return { ...token, text: tokenText(made) };
  }

  /** All tokens, newest first; `unreadable` lists files that are not valid tokens. */
  list(): { tokens: AccessToken[]; unreadable: string[] } {
    const names = existsSync(this.folder) ? readdirSync(this.folder).filter((name) => name.endsWith('.json')) : [];
    const tokens: AccessToken[] = [];
    const unreadable: string[] = [];
    for (const name of names) {
      const kept = this.read(name.slice(0, -'.json'.length));
      if (kept) tokens.push(withoutHash(kept));
      else unreadable.push(name);
    }
    return { tokens: tokens.sort((one, other) => other.created_at.localeCompare(one.created_at)), unreadable };
  }

  /** False if the folder belongs to another user. */
  isReadable(): boolean {
    try {
      readdirSync(this.folder);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT';
    }
  }

  hasOpen(now = Date.now()): boolean {
    return this.list().tokens.some((token) => isOpen(token, now));
  }

  /** Revokes a token. @returns undefined if the id is unknown. */
  revoke(id: string, now = Date.now()): AccessToken | undefined {
    const kept = this.read(id);
    if (!kept) return undefined;
    const { hash: _, ...rest } = kept;
    const revoked = { ...rest, revoked_at: kept.revoked_at ?? new Date(now).toISOString() };
    writeWhole(this.pathOf(id), textOf(revoked), 0o600);
    return withoutHash(revoked);
  }

  /** Removes what people were signed in to the page with, once it is over: there is one for each time. */
  removeOldPages(now = Date.now()): void {
    for (const token of this.list().tokens) {
      if (token.page && !isOpen(token, now)) rmSync(this.pathOf(token.id), { force: true });
    }
  }

  /** The bearer's token if it is valid now; undefined for every other text, whatever the reason. */
  authenticate(text: string, now = Date.now()): AccessToken | undefined {
    const shown = readTokenText(text);
    const open = shown && this.findOpen(shown.id, now);
    return open && isSameHash(open.hash, hashOfSecret(shown.secret)) ? open.token : undefined;
  }

  findOpen(id: string, now = Date.now()): OpenToken | undefined {
    const kept = this.read(id);
    if (kept?.hash === undefined || !isOpen(kept, now)) return undefined;
    return { token: withoutHash(kept), hash: kept.hash };
  }

  /** @returns undefined if it is not a token of this project, or not accessible to its owner alone. */
  private read(id: string): KeptToken | undefined {
    if (!isTokenId(id)) return undefined;
    const path = this.pathOf(id);
    return attempt(() => {
      if (whyNotPrivate(path) !== undefined) return undefined;
      const kept = keptToken.parse(JSON.parse(readFileSync(path, 'utf8')));
      return kept.id === id && kept.project === this.project ? kept : undefined;
    });
  }

  private pathOf(id: string): string {
    return join(this.folder, `${id}.json`);
  }

  /** The folder has its own `.gitignore`, since that of the folder above may be older. */
  private make(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const ignore = join(this.folder, '.gitignore');
    if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
  }
}

function isOpen({ revoked_at, expires_at }: AccessToken, now: number): boolean {
  return revoked_at === undefined && now < Date.parse(expires_at);
}

function withoutHash({ hash: _hash, format: _format, ...token }: KeptToken): AccessToken {
  return token;
}

function textOf(kept: KeptToken): string {
  return `${JSON.stringify(kept, null, 2)}\n`;
}
