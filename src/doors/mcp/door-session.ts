import { type Connection, showSession, startSession, stopSession } from '../../client/index.js';
import type { Person } from '../../contracts/people.js';
import { AbilityError } from '../../contracts/problem.js';
import type { TurnContext } from '../../contracts/session.js';
import { digestOf } from '../../rules/canonical.js';
import type { McpDoor } from './mcp-door.js';

/** Codes that say that a session has ended, or never was. */
const GONE: ReadonlySet<string> = new Set(['session.stopped', 'session.not_found']);

/** The session of one caller: the one it was given, else one of its own that is opened when it is needed first. */
export class DoorSession {
  private opening: Promise<string> | undefined;
  private told: string | undefined;
  /** Known once it is open. */
  id: string | undefined;

  /** @param given an id that the operator of the door chose; that session is never started or ended here. */
  constructor(private readonly given?: string) {
    this.id = given;
  }

  /**
   * Does something in the session. One of its own that has ended meanwhile is followed by another one.
   *
   * @throws AbilityError as `startSession`, and what the action throws.
   */
  async use<T>(
    connection: Connection,
    door: Pick<McpDoor, 'environment' | 'scope'>,
    user: Person,
    action: (session: string) => Promise<T>,
  ): Promise<T> {
    const session = await this.open(connection, door, user);
    try {
      return await action(session);
    } catch (error) {
      if (this.given !== undefined || !(error instanceof AbilityError) || !GONE.has(error.code)) throw error;
      if (this.id === session) this.forget();
      return action(await this.open(connection, door, user));
    }
  }

  /** What an AI reads before it decides, where that has changed since it was told last. Source: R-002-42. */
  async readChange(connection: Connection): Promise<TurnContext | undefined> {
    if (this.id === undefined) return undefined;
    const { turn_context } = await showSession(connection, this.id);
    return turn_context !== null && this.isNews(turn_context) ? turn_context : undefined;
  }

  /** Whether a turn context differs from the one told last; from now on it is that one. */
  isNews(context: TurnContext): boolean {
    const digest = digestOf(context);
    const isNew = digest !== this.told;
    this.told = digest;
    return isNew;
  }

  /** Ends a session of its own. @throws AbilityError as `stopSession`. */
  async close(connection: Connection): Promise<void> {
    if (this.given !== undefined || this.id === undefined) return;
    const { id } = this;
    this.forget();
    await stopSession(connection, id);
  }

  private open(
    connection: Connection,
    { environment, scope }: Pick<McpDoor, 'environment' | 'scope'>,
    user: Person,
  ): Promise<string> {
    if (this.given !== undefined) return Promise.resolve(this.given);
    this.opening ??= startSession(connection, { environment, scope, user }).then(
      ({ session_id }) => {
        this.id = session_id;
        return session_id;
      },
      (error: unknown) => {
        this.forget();
        throw error;
      },
    );
    return this.opening;
  }

  private forget(): void {
    this.opening = undefined;
    this.id = undefined;
    this.told = undefined;
  }
}
