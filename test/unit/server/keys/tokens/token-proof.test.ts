import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Right } from '../../../../../src/contracts/access.js';
import type { KeyProof, ProvedDecision } from '../../../../../src/contracts/approvals.js';
import { provableUser, proveDecision, whyNotProved } from '../../../../../src/server/keys/proof-key.js';
import { TokenFolder } from '../../../../../src/server/keys/tokens/token-folder.js';
import { proveWithToken, whyTokenProvesNot } from '../../../../../src/server/keys/tokens/token-proof.js';

const root = mkdtempSync(join(tmpdir(), 'ability-proofs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const tokens = new TokenFolder(join(root, 'tokens'), 'acme');
const make = (person: string, can: Right[] = ['approve'], agent?: string) =>
  tokens.create({ person, can, agent, expiresMs: 60_000, createdBy: { name: 'root', source: 'claimed' } });

const about: ProvedDecision = {
  what: { ability: 'db.drop', environment: 'prod' },
  approval_id: 'run-0123456789ab',
  raised_at: '2026-11-23T05:00:00.000Z',
  verdict: 'approve',
  by: 'alice',
  comment: null,
  fields: null,
  grant: null,
  denied_items: null,
};
const alice = make('alice');
const proof = proveWithToken(alice.text, about) as KeyProof;

describe('a proof by a token', () => {
  test('is valid for the decision of its person', () => {
    expect(proof).toMatchObject({ token: alice.id });
    expect(whyTokenProvesNot(tokens, about, proof)).toBeUndefined();
  });

  test.each([
    ['another approval', { approval_id: 'run-ba9876543210' }],
    ['the approval when it is requested again', { raised_at: '2026-11-23T06:00:00.000Z' }],
    ['another decision', { verdict: 'deny' }],
    ['another comment', { comment: 'x' }],
    ['other fields', { fields: { x: 1 } }],
  ] as const)('is not valid for %s', (_, more) => {
    expect(whyTokenProvesNot(tokens, { ...about, ...more }, proof)).toMatch(/not valid for this decision/);
  });

  test('is not valid for another person', () => {
    expect(whyTokenProvesNot(tokens, { ...about, by: 'bob' }, proof)).toMatch(/is that of alice/);
  });

  test('cannot be made with the token of another person, or with one that may not approve', () => {
    const bob = make('bob');
    expect(whyTokenProvesNot(tokens, about, proveWithToken(bob.text, about) as KeyProof)).toMatch(/that of bob/);
    const stolen = { ...(proveWithToken(bob.text, about) as KeyProof), token: alice.id };
    expect(whyTokenProvesNot(tokens, about, stolen)).toMatch(/not valid for this decision/);
    const reader = make('alice', ['read', 'run']);
    expect(whyTokenProvesNot(tokens, about, proveWithToken(reader.text, about) as KeyProof)).toMatch(/may not approve/);
    const agent = make('alice', ['run'], 'bot');
    expect(whyTokenProvesNot(tokens, about, proveWithToken(agent.text, about) as KeyProof)).toMatch(/agent bot/);
  });

  test('is valid where the right of its token to approve holds, and nowhere else', () => {
    const { text } = tokens.create({
      ...{ person: 'alice', can: ['approve'], within: { abilities: ['db.*'], environments: ['dev', 'prod'] } },
      ...{ expiresMs: 60_000, createdBy: { name: 'root', source: 'claimed' } },
    });
    const made = proveWithToken(text, about) as KeyProof;
    expect(whyTokenProvesNot(tokens, about, made)).toBeUndefined();
    for (const what of [
      { ability: 'dbs.drop', environment: 'prod' },
      { ability: 'db.drop', environment: 'staging' },
    ]) {
      expect(whyTokenProvesNot(tokens, { ...about, what }, made)).toMatch(/may not approve dbs?\.drop in /);
    }
  });

  test('of who was let in to the page is valid for the user who owns the runtime alone: another name is a claim', () => {
    const [claimed, owner] = ['alice', provableUser()].map((person) => {
      const more = { expiresMs: 60_000, createdBy: { name: person, source: 'claimed' as const }, page: true as const };
      const { text } = tokens.create({ person, can: ['approve'], ...more });
      const decision = { ...about, by: person };
      return whyTokenProvesNot(tokens, decision, proveWithToken(text, decision) as KeyProof);
    });
    expect(claimed).toMatch(/alice is a claim of who ran `ability open`/);
    expect(owner).toBeUndefined();
  });

  test('is not valid once its token is revoked, nor for a token that never existed', () => {
    const short = make('alice');
    const made = proveWithToken(short.text, about) as KeyProof;
    expect(whyTokenProvesNot(tokens, about, made)).toBeUndefined();
    tokens.revoke(short.id);
    expect(whyTokenProvesNot(tokens, about, made)).toMatch(/not valid here/);
    expect(whyTokenProvesNot(tokens, about, { ...proof, token: '../keys/proof' })).toMatch(/not valid here/);
    expect(proveWithToken('no token', about)).toBeUndefined();
  });

  test('is not interchangeable with a proof by the owner of the runtime', () => {
    const key = new Uint8Array(32).fill(7);
    const { token: _, ...bare } = proveDecision(key, about, alice.id);
    expect(whyNotProved(key, 'alice', about, bare)).toMatch(/not valid for this decision/);
    const own = proveDecision(key, about);
    expect(whyNotProved(key, 'alice', about, own)).toBeUndefined();
    expect(whyTokenProvesNot(tokens, about, { ...own, token: alice.id })).toMatch(/not valid for this decision/);
  });
});

test('a token whose person a proxy named proves nothing', () => {
  const given = {
    person: 'alice',
    can: ['approve'] as const,
    createdBy: { name: 'alice', source: 'claimed' as const },
  };
  const claimed = tokens.create({ ...given, claimed: true, expiresMs: 60_000 });
  const said = proveWithToken(claimed.text, about) as KeyProof;
  expect(whyTokenProvesNot(tokens, about, said)).toBe('alice is what a proxy said, and no proof');
});
