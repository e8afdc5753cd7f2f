import type { Tool } from '@modelcontextprotocol/client';

/** The tools of a server by their names. */
export type Tools = ReadonlyMap<string, Tool>;

/**
 * What a server says its tools are, asked for again when that may have changed.
 *
 * A process that we started tells when it changes; behind an address another server may stand at any time, so that one
 * is asked anew for each use.
 */
export class ToolListing {
  private listing: Promise<Tools> = Promise.resolve(new Map());
  private stale = true;

  /**
   * @param ask asks the server for its tools.
   * @param tells whether the server is one that tells.
   */
  constructor(
    private readonly ask: () => Promise<Tools>,
    private readonly tells: boolean,
  ) {}

  /** Asks for the first time, ahead of the first use. @throws what the asking throws. */
  async load(): Promise<void> {
    this.renew();
    await this.listing;
  }

  /** What the server says now. @param stop ends the waiting; others may be waiting for the same answer. */
  current(stop: AbortSignal): Promise<Tools> {
    if (this.stale) this.renew();
    this.stale ||= !this.tells;
    return untilStopped(this.listing, stop);
  }

  /** The server said that its tools have changed. */
  expire(): void {
    this.stale = true;
  }

  private renew(): void {
    this.stale = false;
    this.listing = this.ask();
    this.listing.catch(() => this.expire());
  }
}

/** The answer, or a rejection as soon as nobody may wait for it any more. */
function untilStopped<T>(answer: Promise<T>, stop: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const giveUp = (): void => reject(stop.reason);
    if (stop.aborted) giveUp();
    stop.addEventListener('abort', giveUp, { once: true });
    answer.then(resolve, reject).finally(() => stop.removeEventListener('abort', giveUp));
  });
}
