import type { Connection } from '../../client/index.js';
import { AbilityError } from '../../contracts/problem.js';

/** A connection as one call uses it. */
export interface Loan {
  /** Connects on the first call. @throws errors of connecting. */
  connect(): Promise<Connection>;
  /** Reports an error of the call: the connection to a runtime that was stopped is not used again. */
  failed(error: unknown): void;
}

/**
 * The one connection of a door, made when it is needed first, and again where its runtime was stopped on purpose. A server that
 * is out of reach for a while, or a runtime that was killed, is come back to over the same one.
 */
export class Connections {
  private opening: Promise<Connection> | undefined;

  constructor(private readonly connect: () => Promise<Connection>) {}

  /** Runs an action with the connection. @throws errors of connecting and of the action. */
  async use<T>(action: (connection: Connection) => Promise<T>): Promise<T> {
    const loan = this.lend();
    try {
      return await action(await loan.connect());
    } catch (error) {
      loan.failed(error);
      throw error;
    }
  }

  /** The connection for one call, which may need none. */
  lend(): Loan {
    let opening: Promise<Connection> | undefined;
    return {
      connect: () => {
        opening ??= this.open();
        return opening;
      },
      failed: (error) => {
        const isStopped = error instanceof AbilityError && error.code === 'runtime.stopped';
        if (opening && isStopped) this.drop(opening);
      },
    };
  }

  /** Closes the connection there is. */
  async close(): Promise<void> {
    const { opening } = this;
    this.opening = undefined;
    await opening?.then((connection) => connection.close()).catch(() => {});
  }

  private open(): Promise<Connection> {
    if (this.opening) return this.opening;
    const opening = this.connect();
    this.opening = opening;
    opening.catch(() => this.drop(opening));
    return opening;
  }

  /** Requests that still use it fail. */
  private drop(opening: Promise<Connection>): void {
    if (this.opening !== opening) return;
    this.opening = undefined;
    opening.then((connection) => connection.close()).catch(() => {});
  }
}
