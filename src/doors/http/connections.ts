import { setMaxListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Connection } from '../../client/index.js';
import { AbilityError } from '../../contracts/problem.js';
import { type AnyAbortSignal, anyAbortSignal } from '../../rules/any-abort-signal.js';

/** The shared connection, for one call. */
export interface Loan {
  /** Connects on the first call. @throws errors of connecting. */
  connect(): Promise<Connection>;
  /** Reports an error of the call; a connection to a stopped runtime is then dropped. */
  failed(error: unknown): void;
}

/**
 * The one connection of a door: opened on first use, and again after its runtime was stopped on purpose. It
 * reconnects by itself to a server that was out of reach, or a runtime that was killed.
 */
export class Connections {
  private opening: Promise<Connection> | undefined;

  constructor(private readonly connect: () => Promise<Connection>) {}

  /** @throws errors of connecting and of the action. */
  async use<T>(action: (connection: Connection) => Promise<T>): Promise<T> {
    const loan = this.lend();
    try {
      return await action(await loan.connect());
    } catch (error) {
      loan.failed(error);
      throw error;
    }
  }

  /** Lends the connection to one call, which may not need it. */
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

  /** Requests that still use the connection fail. */
  private drop(opening: Promise<Connection>): void {
    if (this.opening !== opening) return;
    this.opening = undefined;
    opening.then((connection) => connection.close()).catch(() => {});
  }
}

/** Aborts when the client disconnects or one of the signals fires; `release` removes its listeners. */
export function untilClosed(response: ServerResponse, signals: readonly AbortSignal[]): AnyAbortSignal {
  // One listener per open request, however many there are: Node would warn of a leak from the eleventh on.
  setMaxListeners(0, ...signals);
  const closed = new AbortController();
  const leave = (): void => closed.abort();
  response.once('close', leave);
  const { signal, release } = anyAbortSignal([closed.signal, ...signals]);
  return {
    signal,
    release: () => {
      response.removeListener('close', leave);
      release();
    },
  };
}
