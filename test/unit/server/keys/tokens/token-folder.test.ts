import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NewToken } from '../../../../../src/contracts/access.js';
import { TokenFolder } from '../../../../../src/server/keys/tokens/token-folder.js';

const DAY_MS = 86_400_000;
let root: string;
let folder: string;
let tokens: TokenFolder;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ability-tokens-'));
  folder = join(root, 'tokens');
  tokens = new TokenFolder(folder, 'acme');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const wanted = (more: Partial<NewToken> = {}): NewToken => ({
  person: 'alice',
  can: ['read', 'approve'],
  expiresMs: DAY_MS,
  createdBy: { name: 'root', source: 'claimed' },
  ...more,
});
const fileOf = (id: string): string => join(folder, `${id}.json`);

describe('a token', () => {
  test('opens its project for its person until it expires', () => {
    const now = Date.now();
    const { text, ...token } = tokens.create(wanted(), now);
    expect(tokens.authenticate(text, now)).toEqual(token);
    expect(token).toMatchObject({ project: 'acme', person: 'alice', can: ['read', 'approve'], created_by: 'root' });
    expect(tokens.authenticate(text, now + DAY_MS - 1)).toBeDefined();
    expect(tokens.authenticate(text, now + DAY_MS)).toBeUndefined();
    expect(tokens.hasOpen(now)).toBe(true);
    expect(tokens.hasOpen(now + DAY_MS)).toBe(false);
  });

  test('is stored only as a hash, in a file that only its owner reads, outside version control', () => {
    const { text, id } = tokens.create(wanted());
    const secret = text.slice(text.lastIndexOf(id) + id.length + 1);
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(fileOf(id)).mode & 0o777).toBe(0o600);
    const kept = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(kept.join()).not.toContain(secret);
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n');
  });

  test('that is revoked opens nothing, in any process, and its hash is gone', () => {
    const { text, id } = tokens.create(wanted());
    const other = new TokenFolder(folder, 'acme');
    expect(other.authenticate(text)).toBeDefined();
    expect(tokens.revoke(id)).toMatchObject({ id, revoked_at: expect.any(String) });
    expect(other.authenticate(text)).toBeUndefined();
    expect(other.findOpen(id)).toBeUndefined();
    expect(readFileSync(fileOf(id), 'utf8')).not.toContain('hash');
    expect(statSync(fileOf(id)).mode & 0o777).toBe(0o600);
    expect(tokens.list().tokens).toMatchObject([{ id, revoked_at: expect.any(String) }]);
    expect(tokens.hasOpen()).toBe(false);
  });

  test('of an agent never has the right to approve', () => {
    expect(() => tokens.create(wanted({ agent: 'bot' }))).toThrow(/agents decide nothing/);
    expect(tokens.create(wanted({ agent: 'bot', can: ['read', 'run'] }))).toMatchObject({
      agent: 'bot',
      person: 'alice',
    });
  });
});

describe('nothing is opened by', () => {
  test.each([
    ['what is no token', () => 'abt_'],
    ['an empty text', () => ''],
    ['a token with another secret', (text: string) => `${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`],
    ['the id of a token alone', (text: string) => text.split('_').slice(0, 2).join('_')],
    ['a token with a path for an id', (text: string) => text.replace(/_[0-9a-f]{16}_/, '_../../../../x_')],
    ['a token that was never made', (text: string) => text.replace(/_[0-9a-f]{16}_/, '_0123456789abcdef_')],
    ['a token with more behind it', (text: string) => `${text}x`],
  ])('%s', (_, of) => {
    const { text } = tokens.create(wanted());
    expect(tokens.authenticate(of(text))).toBeUndefined();
  });

  test('a token of another project', () => {
    const { text } = tokens.create(wanted());
    expect(new TokenFolder(folder, 'other').authenticate(text)).toBeUndefined();
  });

  test('a file that others may read, that is linked, or that is broken, and this is reported', () => {
    const made = [1, 2, 3].map(() => tokens.create(wanted()));
    const [open, linked, broken] = made.map(({ id }) => fileOf(id)) as [string, string, string];
    chmodSync(open, 0o644);
    const kept = readFileSync(linked);
    const elsewhere = join(root, 'elsewhere');
    writeFileSync(elsewhere, kept, { mode: 0o600 });
    rmSync(linked);
    symlinkSync(elsewhere, linked);
    writeFileSync(broken, '{');
    for (const { text } of made) expect(tokens.authenticate(text)).toBeUndefined();
    const { tokens: listed, unreadable } = tokens.list();
    expect(listed).toEqual([]);
    expect(unreadable).toHaveLength(3);
  });
});

test('what people were signed in to the page with is removed once it is over; other tokens stay', () => {
  const [open, second, left, other] = [true, true, true, false].map((isPage) =>
    tokens.create(wanted(isPage ? { page: true } : {}), isPage ? Date.now() : Date.now() - 2 * DAY_MS),
  );
  const late = tokens.create(wanted({ page: true }), Date.now() - 2 * DAY_MS);
  tokens.revoke(left?.id ?? '');
  tokens.removeOldPages();
  const ids = tokens.list().tokens.map(({ id }) => id);
  expect(ids.sort()).toEqual([open, second, other].map((token) => token?.id).sort());
  expect(ids).not.toContain(late.id);
});

test('without a folder there are no tokens', () => {
  expect(tokens.list()).toEqual({ tokens: [], unreadable: [] });
  expect(tokens.hasOpen()).toBe(false);
  expect(tokens.revoke('0123456789abcdef')).toBeUndefined();
  expect(tokens.isReadable()).toBe(true);
});
