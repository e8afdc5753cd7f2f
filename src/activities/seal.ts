import { createHmac, timingSafeEqual } from 'node:crypto';
import { AbilityError } from '../contracts/problem.js';
import type { Seal } from '../contracts/seal.js';
import { canonicalJson } from '../rules/canonical.js';

/** Keys to sign and verify with; the first signs, all verify. */
export interface SealKeys {
  /** Key id to secret, in order. */
  keys: ReadonlyMap<string, Uint8Array>;
}

/** A body signed by a worker of the project. */
type Signed<Body> = Body & { key_id: string; mac: string };

/** Signs with the first key. @param prefix separates purposes. @throws AbilityError `seal.no_key`. */
export function sign<Body extends object>(body: Body, { keys }: SealKeys, what: string, prefix = ''): Signed<Body> {
  const [first] = keys;
  if (!first) {
    throw new AbilityError({
      code: 'seal.no_key',
      message: `This worker has no key to ${what} with`,
      suggestion: 'Set ABILITY_SEAL_KEYS to the same value for all workers.',
    });
  }
  const unsigned = { ...body, key_id: first[0] };
  return { ...unsigned, mac: macOf(unsigned, first[1], prefix) };
}

/** Whether a signature was made with the secret. @param prefix as in {@link sign}. */
export function isSignedBy({ mac, ...unsigned }: Signed<object>, secret: Uint8Array, prefix = ''): boolean {
  const given = Buffer.from(mac, 'hex');
  const right = Buffer.from(macOf(unsigned, secret, prefix), 'hex');
  return given.length === right.length && timingSafeEqual(given, right);
}

function macOf(unsigned: object, secret: Uint8Array, prefix: string): string {
  return createHmac('sha256', secret)
    .update(prefix + canonicalJson(unsigned))
    .digest('hex');
}

/** Signs after preflight. Source: docs/architecture.md#promises; docs/architecture.md#the-way-of-a-task. */
export function signSeal(body: Omit<Seal, 'key_id' | 'mac'>, keys: SealKeys): Seal {
  return sign(body, keys, 'seal');
}

/** @throws AbilityError `seal.unknown_key` (the call may be retried elsewhere), `seal.invalid`. */
export function verifySeal(seal: Seal, expected: { task: string }, { keys }: SealKeys): void {
  const secret = keys.get(seal.key_id);
  if (!secret) {
    throw new AbilityError({
      code: 'seal.unknown_key',
      message: `The task was sealed with the key ${seal.key_id}, which this worker does not have`,
      suggestion: 'Give the worker that key, in .system/keys or ABILITY_SEAL_KEYS.',
    });
  }
  if (!isSignedBy(seal, secret) || seal.task !== expected.task) {
    throw sealInvalid(`The seal of ${expected.task} is not one of ours`);
  }
}

/** The error for a request that no sealed task can have made. */
export function sealInvalid(message: string, suggestion = 'Create tasks through Ability Runtime.'): AbilityError {
  return new AbilityError({ code: 'seal.invalid', message, suggestion });
}
