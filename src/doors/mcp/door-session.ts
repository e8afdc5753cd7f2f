import { type Connection, showSession, startSession, stopSession } from '../../client/index.js';
import type { Person } from '../../contracts/callers.js';
import { AbilityError } from '../../contracts/problem.js';
import type { TurnContext } from '../../contracts/session.js';
import { digestOf } from '../../rules/canonical.js';
import { startTimer } from '../../server/start-timer.js';

const ENDED: ReadonlySet<string> = new Set(['session.stopped', 'session.not_found']);

/** How long a closing door waits for the hooks at a session's end. */
const FAREWELL_MS = 1500;

interface SessionPlace {
  environment: string;
  scope: string;
}

/** The session of one caller: the given one, else its own, opened on first use. */
export class DoorSession {
  private opening: Promise<string> | undefined;
  private lastSeen: string | undefined;
  private isClosed = false;
  /** Undefined until it is open. */
  id: string | undefined;

  /** @param given an id that the operator of the door chose; that session is never started or ended here. */
  constructor(private readonly given?: string) {
    this.id = given;
  }

  /** Replaces an own session that has ended. @throws AbilityError as `startSession`, and of the action. */
  async use<T>(
    connection: Connection,
    door: SessionPlace,
    user: Person,
    action: (session: string) => Promise<T>,
  ): Promise<T> {
    const session = await this.open(connection, door, user);
    try {
      return await action(session);
    } catch (error) {
      if (this.given !== undefined || !(error instanceof AbilityError) || !ENDED.has(error.code)) throw error;
      if (this.id === session) this.forget();
      return action(await this.open(connection, door, user));
    }
  }

  /** The turn context, if it has changed since the last answer. Source: R-002-42. */
  async readChange(connection: Connection): Promise<TurnContext | undefined> {
    if (this.id === undefined) return undefined;
    const { turn_context } = await showSession(connection, this.id);
    return turn_context !== null && this.remember(turn_context) ? turn_context : undefined;
  }

  /** Replaces the last turn context. @returns whether they differ. */
  remember(context: TurnContext): boolean {
    const digest = digestOf(context);
    const isNew = digest !== this.lastSeen;
    this.lastSeen = digest;
    return isNew;
  }

  /** Ends its own session and opens no other. @throws AbilityError as `stopSession`. */
  async close(connect: () => Promise<Connection>): Promise<void> {
    this.isClosed = true;
    const id = await this.opening?.catch(() => undefined);
    if (this.given !== undefined || id === undefined) return;
    this.forget();
    await stopSession(await connect(), id);
  }

  private open(connection: Connection, { environment, scope }: SessionPlace, user: Person): Promise<string> {
    if (this.given !== undefined) return Promise.resolve(this.given);
    if (this.isClosed) return Promise.reject(closed());
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
    this.lastSeen = undefined;
  }
}

function closed(): AbilityError {
  return new AbilityError({
    code: 'session.stopped',
    message: 'The session has ended: its door closed, or the token of its caller is no longer valid',
    suggestion: 'Connect again with a valid token.',
  });
}

/** Waits for sessions to end, but not for slow hooks, which continue without the door. */
export async function endInTime(ending: Promise<void>, note: (text: string) => void): Promise<void> {
  const late = new Promise<void>((resolve) => void startTimer(FAREWELL_MS, resolve));
  await Promise.race([ending.catch((error: unknown) => note(String(error))), late]);
}
