import type { HookAnswer } from '../../contracts/hooks.js';
import type { SignedWord, WordAnswer } from '../../contracts/session.js';

/** What activities do with sessions and their tasks, over the connection of their worker. */
export interface SessionAccess {
  /**
   * Tells a session something.
   *
   * @throws AbilityError `session.not_found`, `session.stopped`, and what the session refuses with.
   */
  tell(session: string, word: SignedWord): Promise<WordAnswer>;
  /** How many sessions of the project a user has started since a moment, as Temporal lists them; refused ones do not count. @param except a session of which nothing is counted. */
  countStarts(user: string, since: number, except: string): Promise<number>;
  /** How a task of a session stands; undefined where Temporal knows none, null where it cannot be read now. */
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
