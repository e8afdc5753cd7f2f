import type { HookAnswer } from '../../contracts/hooks.js';
import type { SignedWord, WordAnswer } from '../../contracts/session.js';

/** Operations of activities on sessions and their tasks, over the connection of their worker. */
export interface SessionAccess {
  /** Sends a report. @throws AbilityError `session.not_found`, `session.stopped`, and the session's refusals. */
  notify(session: string, word: SignedWord): Promise<WordAnswer>;
  /** The user's accepted sessions since a time, as Temporal lists them. @param except a session not counted. */
  countStarts(user: string, since: number, except: string): Promise<number>;
  /** State of a session's task; undefined: unknown to Temporal, null: cannot be read now. */
  readTask(key: string): Promise<SeenTask | undefined | null>;
}

export interface SeenTask {
  status: string;
  isOpen: boolean;
  hooks: HookAnswer[];
  /** The task's own ability; `calls` has those that its steps call, by path. */
  ability: string;
  calls: Record<string, string>;
  children: string[];
}
