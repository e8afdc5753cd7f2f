import type { ServerResponse } from 'node:http';
import { type AnyAbortSignal, anyAbortSignal } from '../../rules/any-abort-signal.js';

/** Aborts when the client disconnects or one of the signals fires; `release` removes its listeners. */
export function untilClosed(response: ServerResponse, signals: readonly AbortSignal[]): AnyAbortSignal {
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
