import { createHmac, timingSafeEqual } from 'node:crypto';
import { AbilityError } from '../contracts/problem.js';
import type { Seal } from '../contracts/seal.js';
import { canonicalJson } from '../rules/canonical.js';

/** Keys to sign and verify with; the first signs, all verify. */
export interface SealKeys {
  /** Key id to secret, in order. */
  keys: ReadonlyMap<string, Uint8Array>;
}

/** Signs what passed preflight. Source: docs/architecture.md#promises; docs/architecture.md#the-way-of-a-task. */
export function signSeal(body: Omit<Seal, 'key_id' | 'mac'>, { keys }: SealKeys): Seal {
  const [first] = keys;
  if (!first) {
    throw new AbilityError({
      code: 'seal.no_key',
      message: 'This worker has no key to seal with',
      suggestion: 'Set ABILITY_SEAL_KEYS to the same value for all workers.',
    });
  }
  const unsigned = { ...body, key_id: first[0] };
  return { ...unsigned, mac: macOf(unsigned, first[1]) };
}

/**
 * Checks that a seal is ours and speaks of this task and plan.
 *
 * @throws AbilityError `seal.unknown_key` (the call may be tried again elsewhere) or `seal.invalid`.
 */
export function verifySeal(seal: Seal, expected: { task: string }, { keys }: SealKeys): void {
  const secret = keys.get(seal.key_id);
  if (!secret) {
    throw new AbilityError({
      code: 'seal.unknown_key',
      message: `The task was sealed with the key ${seal.key_id}, which this worker does not have`,
      suggestion: 'Give the worker that key, in .system/keys or ABILITY_SEAL_KEYS.',
    });
  }
  const { mac, ...unsigned } = seal;
  const given = Buffer.from(mac, 'hex');
  const right = Buffer.from(macOf(unsigned, secret), 'hex');
  if (given.length !== right.length || !timingSafeEqual(given, right) || seal.task !== expected.task) {
    throw new AbilityError({
      code: 'seal.invalid',
      message: `The seal of ${expected.task} is not one of ours`,
      suggestion: 'Create tasks through Ability Runtime.',
    });
  }
}

function macOf(unsigned: Omit<Seal, 'mac'>, secret: Uint8Array): string {
  return createHmac('sha256', secret).update(canonicalJson(unsigned)).digest('hex');
}
