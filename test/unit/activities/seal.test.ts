import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type SealKeys, signSeal, verifySeal } from '../../../src/activities/seal.js';
import type { Seal } from '../../../src/contracts/seal.js';
import { errorOf } from '../error-of.js';

const OLD = randomBytes(32);
const NEW = randomBytes(32);
const keys = (...entries: [string, Uint8Array][]): SealKeys => ({ keys: new Map(entries) });
const BODY = {
  plan: 'p'.repeat(64),
  task: 't-1',
  input: 'i'.repeat(64),
  user: { name: 'tester', source: 'claimed' as const },
  confirmations: [],
};
const ours = keys(['k1', OLD]);

test('a seal verifies for its task', () => {
  verifySeal(signSeal(BODY, ours), { task: 't-1' }, ours);
});

test('any seal verifies for its task, and for no other', () => {
  const body = fc.record({
    plan: fc.string(),
    task: fc.string(),
    input: fc.string(),
    user: fc.record({ name: fc.string(), source: fc.constantFrom('claimed' as const, 'token' as const) }),
    confirmations: fc.array(fc.record({ hook_id: fc.string(), reason: fc.string() })),
  });
  fc.assert(
    fc.property(body, fc.string(), (sealed, other) => {
      const seal = signSeal(sealed, ours);
      verifySeal(seal, { task: sealed.task }, ours);
      if (other !== sealed.task) {
        expect(errorOf(() => verifySeal(seal, { task: other }, ours)).code).toBe('seal.invalid');
      }
    }),
  );
});

test('a seal does not depend on the order of its fields, which pass through JSON', () => {
  const seal = signSeal(BODY, ours);
  const reordered = Object.fromEntries(Object.entries(seal).reverse()) as unknown as Seal;
  verifySeal(reordered, { task: 't-1' }, ours);
});

describe('a seal that was tampered with is refused', () => {
  test.each(['plan', 'input', 'task'] as const)('in its %s', (field) => {
    const seal = { ...signSeal(BODY, ours), [field]: 'other' };
    expect(errorOf(() => verifySeal(seal, { task: seal.task }, ours)).code).toBe('seal.invalid');
  });

  test('in its confirmations', () => {
    const original = signSeal({ ...BODY, confirmations: [{ hook_id: 'h', reason: 'r' }] }, ours);
    const seal = { ...original, user: { name: 'tester', source: 'claimed' as const }, confirmations: [] };
    expect(errorOf(() => verifySeal(seal, { task: 't-1' }, ours)).code).toBe('seal.invalid');
  });

  test('by an added field', () => {
    const seal = { ...signSeal(BODY, ours), extra: true };
    expect(errorOf(() => verifySeal(seal, { task: 't-1' }, ours)).code).toBe('seal.invalid');
  });

  test('in any digit of its code', () => {
    const seal = signSeal(BODY, ours);
    fc.assert(
      fc.property(fc.nat({ max: 63 }), fc.constantFrom(...'0123456789abcdef'), (at, digit) => {
        fc.pre(seal.mac[at] !== digit);
        const mac = `${seal.mac.slice(0, at)}${digit}${seal.mac.slice(at + 1)}`;
        expect(errorOf(() => verifySeal({ ...seal, mac }, { task: 't-1' }, ours)).code).toBe('seal.invalid');
      }),
    );
  });

  test.each(['', 'ab', 'not hex at all', '00'.repeat(32)])('with the code %j', (mac) => {
    const seal = { ...signSeal(BODY, ours), mac };
    expect(errorOf(() => verifySeal(seal, { task: 't-1' }, ours)).code).toBe('seal.invalid');
  });

  test('with a key of the right name but another secret', () => {
    const seal = signSeal(BODY, keys(['k1', NEW]));
    expect(errorOf(() => verifySeal(seal, { task: 't-1' }, ours)).code).toBe('seal.invalid');
  });
});

describe('keys', () => {
  test('the first one signs, and all verify', () => {
    const both = keys(['k2', NEW], ['k1', OLD]);
    expect(signSeal(BODY, both).key_id).toBe('k2');
    verifySeal(signSeal(BODY, ours), { task: 't-1' }, both);
  });

  test('an unknown key is seal.unknown_key, since another worker may have it', () => {
    expect(errorOf(() => verifySeal(signSeal(BODY, ours), { task: 't-1' }, keys(['k2', NEW]))).code).toBe(
      'seal.unknown_key',
    );
  });

  test('without any key nothing is sealed', () => {
    expect(errorOf(() => signSeal(BODY, keys())).code).toBe('seal.no_key');
  });
});
