import { setMaxListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AnyAbortSignal, anyAbortSignal } from '../../rules/any-abort-signal.js';

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
