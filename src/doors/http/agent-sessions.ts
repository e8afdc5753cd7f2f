import type { Connection } from '../../client/index.js';
import { DoorSession } from '../mcp/door-session.js';
import type { Authentication, HttpCaller } from './authenticate.js';

interface Kept {
  session: DoorSession;
  /** The token that admits the caller; undefined if it needs none. */
  token: string | undefined;
}

/**
 * The sessions of callers that name none: one per token and environment, so that opening none, or coming through
 * the other door, avoids no guard over `session.calls`.
 */
export class AgentSessions {
  private readonly kept = new Map<string, Kept>();

  /** The session of a caller in an environment; opened on first use. */
  of({ name, token }: Pick<HttpCaller, 'name' | 'token'>, environment: string): DoorSession {
    const place = `${name} ${environment}`;
    const known = this.kept.get(place);
    if (known) return known.session;
    const session = new DoorSession();
    this.kept.set(place, { session, token });
    return session;
  }

  /** Ends sessions of tokens that expired or were revoked, by any process. @throws like `stopSession`. */
  async endClosed({ findToken }: Pick<Authentication, 'findToken'>, connect: () => Promise<Connection>): Promise<void> {
    await this.end(connect, ({ token }) => token !== undefined && findToken(token) === undefined);
  }

  /** Ends all sessions when the door closes. @throws like `stopSession`. */
  async endAll(connect: () => Promise<Connection>): Promise<void> {
    await this.end(connect, () => true);
  }

  private async end(connect: () => Promise<Connection>, isOver: (kept: Kept) => boolean): Promise<void> {
    const over = [...this.kept].filter(([, kept]) => isOver(kept));
    for (const [place] of over) this.kept.delete(place);
    const ends = await Promise.allSettled(over.map(([, { session }]) => session.close(connect)));
    const failed = ends.find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }
}
