import type { ServerResponse } from 'node:http';

/** A request that is being answered. */
export interface OpenRequest {
  /** Fires when the client has gone, or the door closes. */
  signal: AbortSignal;
  done(): void;
}

/** The requests that a door is answering. Each one is forgotten with its answer, however long the door stays. */
export class OpenRequests {
  private readonly stops = new Set<() => void>();

  /** @param closing fires when the door closes. */
  constructor(private readonly closing: AbortSignal) {
    closing.addEventListener('abort', () => this.stops.forEach((stop) => void stop()), { once: true });
  }

  /** Takes in one request until it is done. */
  enter(response: ServerResponse): OpenRequest {
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    if (this.closing.aborted) stop();
    response.once('close', stop);
    this.stops.add(stop);
    const done = (): void => {
      response.removeListener('close', stop);
      this.stops.delete(stop);
    };
    return { signal: controller.signal, done };
  }
}
