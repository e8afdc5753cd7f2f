import { sessionIdOf } from '../../contracts/names.js';
import type { SessionWord, WordAnswer } from '../../contracts/session.js';
import type { SealKeys } from '../seal.js';
import type { SessionAccess } from './session-access.js';
import { signWord } from './session-word.js';

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
