import { sessionIdOf } from '../../contracts/names.js';
import type { SessionWord, WordAnswer } from '../../contracts/session.js';
import type { SealKeys } from '../../planning/seal.js';
import { signWord } from '../../planning/session-word.js';
import type { SessionAccess } from './session-access.js';

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
