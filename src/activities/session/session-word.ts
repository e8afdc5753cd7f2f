import { sessionIdOf, WORKFLOWS } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import type { SessionWord, SignedWord, WordAnswer } from '../../contracts/session.js';
import type { ActivityDependencies } from '../dependencies.js';
import { activityOf } from '../failures.js';
import { isSignedBy, type SealKeys, sealInvalid, sign } from '../seal.js';

/** Separates signatures of reports to sessions from those of task seals. */
const PREFIX = 'session-word\n';

/** Signs a worker's report, so that the session accepts it from no other process. */
export function signWord(session: string, word: SessionWord, keys: SealKeys): SignedWord {
  return sign({ session, word }, keys, 'sign', PREFIX);
}

/** Verifies a worker's report to this session. @throws AbilityError `seal.unknown_key`, `seal.invalid`. */
export function verifyWord(word: SignedWord, session: string, { keys }: SealKeys): void {
  const secret = keys.get(word.key_id);
  if (!secret) {
    throw new AbilityError({
      code: 'seal.unknown_key',
      message: `The message to the session is signed with the key ${word.key_id}, which this worker does not have`,
      suggestion: 'Give the workers of all environments of the session the same ABILITY_SEAL_KEYS.',
    });
  }
  if (isSignedBy(word, secret, PREFIX) && word.session === session) return;
  throw sealInvalid(
    'No worker of the project signed this message to the session',
    'Check who else writes to the namespace.',
  );
}

export type NotifyDependencies = Pick<ActivityDependencies, 'project' | 'keys' | 'sessions'>;

/** Sends a signed report to a session. @throws as {@link SessionAccess.notify}. */
export function notifySession(
  session: string,
  word: SessionWord,
  { project, keys, sessions }: NotifyDependencies,
): Promise<WordAnswer> {
  return sessions.notify(session, signWord(sessionIdOf(project, session), word, keys));
}

/** Verifies for a session that a worker of the project signed a report to it. Changes nothing. */
export function createCheckWord({ keys }: Pick<ActivityDependencies, 'keys'>) {
  return activityOf(async (word: SignedWord, { info }): Promise<void> => {
    if (info.workflowType !== WORKFLOWS.session || !info.workflowExecution) {
      throw new AbilityError({ code: 'seal.invalid', message: 'Only a session can have its messages checked' });
    }
    verifyWord(word, info.workflowExecution.workflowId, keys);
  });
}
