import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Admitted, DoorProof, ProvedDecision } from '../../../../src/contracts/approvals.js';
import { ownProofs, sharedProofs } from '../../../../src/server/keys/check-proof.js';
import {
  createDoorKey,
  ownDoorKey,
  ownDoorKeys,
  proveAtDoor,
  publicKeyOf,
  readDoorKey,
} from '../../../../src/server/keys/door-key.js';
import { proveDecision } from '../../../../src/server/keys/proof-key.js';

const root = mkdtempSync(join(tmpdir(), 'ability-door-keys-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

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
const alice: Admitted = { source: 'oidc', issuer: 'https://id.acme.test', subject: 'u-1', groups: ['leads'] };
const made = createDoorKey('main');
const key = readDoorKey(made.value);
const check = sharedProofs('acme', { main: made.publicKey });
const proof = proveAtDoor(key, 'acme', about, alice);

describe('the proof of a door', () => {
  test('holds where ability.yaml has its public key, and nowhere else', () => {
    expect(check?.(about, proof)).toBeUndefined();
    expect(sharedProofs('acme', { other: made.publicKey })?.(about, proof)).toMatch(/door is not known/);
    expect(sharedProofs('acme', { main: createDoorKey('main').publicKey })?.(about, proof)).toMatch(/not valid/);
    expect(sharedProofs('other', { main: made.publicKey })?.(about, proof)).toMatch(/not valid/);
    expect(sharedProofs('acme', {})).toBeNull();
  });

  test.each<[string, Partial<ProvedDecision>]>([
    ['another approval', { approval_id: 'run-ba9876543210' }],
    ['the approval when it is requested again', { raised_at: '2026-11-23T06:00:00.000Z' }],
    ['another decision', { verdict: 'deny' }],
    ['another person', { by: 'bob' }],
    ['another comment', { comment: 'x' }],
    ['other fields', { fields: { x: 1 } }],
  ])('does not hold for %s', (_, more) => {
    expect(check?.({ ...about, ...more }, proof)).toMatch(/not valid for this decision/);
  });

  test.each<[string, Partial<DoorProof>]>([
    ['another group', { groups: ['leads', 'owners'] }],
    ['another subject', { subject: 'u-2' }],
    ['another issuer', { issuer: 'https://evil.test' }],
    ['another source', { source: 'token' }],
    ['another nonce', { nonce: '0'.repeat(32) }],
    ['a nonce of another form', { nonce: 'x' }],
    ['no signature', { signature: '' }],
    ['another signature', { signature: 'A'.repeat(86) }],
    ['the name of what every object has', { door: 'toString' }],
  ])('does not hold with %s', (_, more) => {
    expect(check?.(about, { ...proof, ...more })).toBeDefined();
  });

  test('a key of a runtime proves nothing to a worker of a shared server', () => {
    expect(check?.(about, proveDecision(Buffer.alloc(32), about))).toMatch(/does not have/);
  });
});

describe("the key of the project's own doors", () => {
  const path = join(root, 'keys', 'door.key');
  const paths = { proofKey: join(root, 'keys', 'proof'), doorKey: path, tokens: join(root, 'tokens') };

  test('is made once, for this user alone, and only its own runtime knows it', () => {
    expect(ownDoorKeys(path)).toEqual({});
    const own = ownDoorKey(path);
    expect(publicKeyOf(ownDoorKey(path))).toBe(publicKeyOf(own));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const proved = proveAtDoor(own, 'acme', about, alice);
    expect(ownProofs(paths, 'acme')({})(about, proved)).toBeUndefined();
    expect(ownProofs(paths, 'acme')({ main: made.publicKey })(about, proof)).toBeUndefined();
    expect(check?.(about, proved)).toMatch(/door is not known/);
  });

  test('is not used once others can read it', () => {
    chmodSync(path, 0o644);
    expect(ownDoorKeys(path)).toEqual({});
    expect(() => ownDoorKey(path)).toThrow(expect.objectContaining({ code: 'approval.unproved' }));
    expect(readFileSync(path, 'utf8')).toHaveLength(44);
  });
});

test.each(['', 'main', 'main:', 'main:abc', `.own:${'A'.repeat(43)}`, `a b:${'A'.repeat(43)}`])(
  'no key is read from %j',
  (text) => {
    expect(() => readDoorKey(text)).toThrow(expect.objectContaining({ code: 'usage.invalid' }));
  },
);
