import { createHmac, timingSafeEqual } from 'node:crypto';
import { AbilityError } from '../../contracts/problem.js';
import type { SessionWord, SignedWord } from '../../contracts/session.js';
import { canonicalJson } from '../../rules/canonical.js';
import type { SealKeys } from '../seal.js';

/** Signs what a worker tells a session, so that the session hears nobody else. */
export function signWord(session: string, word: SessionWord, { keys }: SealKeys): SignedWord {
  const [first] = keys;
  if (!first) {
    throw new AbilityError({
      code: 'seal.no_key',
      message: 'This worker has no key to sign with',
      suggestion: 'Set ABILITY_SEAL_KEYS to the same value for all workers.',
    });
  }
  const unsigned = { key_id: first[0], session, word };
  return { ...unsigned, mac: macOf(unsigned, first[1]) };
}

/**
 * Checks that a worker of the project said a word, and to this session.
 *
 * @throws AbilityError `seal.unknown_key`, `seal.invalid`.
 */
export function verifyWord({ mac, ...unsigned }: SignedWord, session: string, { keys }: SealKeys): void {
  const secret = keys.get(unsigned.key_id);
  if (!secret) {
    throw new AbilityError({
      code: 'seal.unknown_key',
      message: `The word to the session is signed with the key ${unsigned.key_id}, which this worker does not have`,
      suggestion: 'Give the workers of all environments of the session the same ABILITY_SEAL_KEYS.',
    });
  }
  const given = Buffer.from(mac, 'hex');
  const right = Buffer.from(macOf(unsigned, secret), 'hex');
  const isOurs = given.length === right.length && timingSafeEqual(given, right);
  if (isOurs && unsigned.session === session) return;
  throw new AbilityError({
    code: 'seal.invalid',
    message: 'No worker of the project signed this word to the session',
    suggestion: 'Look who else writes to the namespace.',
  });
}

/** The prefix keeps it apart from every seal of a task. */
function macOf(unsigned: Omit<SignedWord, 'mac'>, secret: Uint8Array): string {
  return createHmac('sha256', secret)
    .update(`session-word\n${canonicalJson(unsigned)}`)
    .digest('hex');
}
