import { createHmac, timingSafeEqual } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { sessionIdOf, WORKFLOWS } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import type { SessionWord, SignedWord, WordAnswer } from '../../contracts/session.js';
import { canonicalJson } from '../../rules/canonical.js';
import { toFailure } from '../failures.js';
import type { SealKeys } from '../seal.js';
import type { SessionAccess } from './session-access.js';

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

/** What a worker needs to tell sessions something. */
export interface TellDependencies {
  project: string;
  keys: SealKeys;
  sessions: SessionAccess;
}

/** Tells a session something in the name of the project's workers. @throws as {@link SessionAccess.tell}. */
export function tellSession(
  session: string,
  word: SessionWord,
  { project, keys, sessions }: TellDependencies,
): Promise<WordAnswer> {
  return sessions.tell(session, signWord(sessionIdOf(project, session), word, keys));
}

/** Checks for a session that a worker of the project signed a word to it. It changes nothing. */
export function createCheckWord({ keys }: { keys: SealKeys }): (word: SignedWord) => Promise<void> {
  return async (word) => {
    const { workflowType, workflowExecution } = Context.current().info;
    try {
      if (workflowType !== WORKFLOWS.session || !workflowExecution) {
        throw new AbilityError({ code: 'seal.invalid', message: 'Only a session has words checked' });
      }
      verifyWord(word, workflowExecution.workflowId, keys);
    } catch (error) {
      throw toFailure(error);
    }
  };
}
