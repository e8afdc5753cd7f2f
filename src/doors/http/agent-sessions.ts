import { type Connection, startSession } from '../../client/index.js';
import type { Person } from '../../contracts/people.js';
import { AbilityError } from '../../contracts/problem.js';

/** Codes that say that a session has ended, or never was. */
const GONE: ReadonlySet<string> = new Set(['session.stopped', 'session.not_found']);

/**
 * The sessions of agents that name none: one for each token and environment, opened when it is needed first, so that no guard
 * over `session.calls` is avoided by opening none. Source: exact shapes, section 1.
 */
export class AgentSessions {
  private readonly open = new Map<string, Promise<string>>();

  /** Does something in the session of a token; one that has ended meanwhile is followed by another one. */
  async use<T>(
    connection: Connection,
    token: string,
    wanted: { environment: string; scope: string; user: Person },
    action: (session: string) => Promise<T>,
  ): Promise<T> {
    const name = `${token} ${wanted.environment}`;
    const opening = this.find(connection, name, wanted);
    try {
      return await action(await opening);
    } catch (error) {
      if (!(error instanceof AbilityError) || !GONE.has(error.code)) throw error;
      if (this.open.get(name) === opening) this.open.delete(name);
      return action(await this.find(connection, name, wanted));
    }
  }

  private find(
    connection: Connection,
    name: string,
    wanted: { environment: string; scope: string; user: Person },
  ): Promise<string> {
    const known = this.open.get(name);
    if (known) return known;
    const opening = startSession(connection, wanted).then(({ session_id }) => session_id);
    this.open.set(name, opening);
    opening.catch(() => this.open.delete(name));
    return opening;
  }
}
