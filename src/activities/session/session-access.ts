import type { HookAnswer } from '../../contracts/hooks.js';
import type { SignedWord, WordAnswer } from '../../contracts/session.js';

/** Operations of activities on sessions and their tasks, over the connection of their worker. */
export interface SessionAccess {
  /**
   * Sends a report to a session.
   *
   * @throws AbilityError `session.not_found`, `session.stopped`, and the refusals of the session.
   */
  tell(session: string, word: SignedWord): Promise<WordAnswer>;
  /**
   * Number of sessions of the project that a user has started since a time, as Temporal lists them; refused ones do not
   * count. @param except a session that is not counted.
   */
  countStarts(user: string, since: number, except: string): Promise<number>;
  /** State of a session's task; undefined if Temporal knows none, null if it cannot be read now. */
  readTask(key: string): Promise<SeenTask | undefined | null>;
}

/** A task, as far as its session needs it. */
export interface SeenTask {
  status: string;
  isOpen: boolean;
  hooks: HookAnswer[];
  /** Its own ability, and those that its steps call, by their paths. */
  ability: string;
  calls: Record<string, string>;
  /** The tasks that its steps call. */
  children: string[];
}
