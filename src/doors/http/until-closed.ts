import type { ServerResponse } from 'node:http';
import { type AnyAbortSignal, anyAbortSignal } from '../../rules/any-abort-signal.js';

/** Aborts when the client disconnects or one of the signals fires; `release` removes its listeners. */
export function untilClosed(response: ServerResponse, signals: readonly AbortSignal[]): AnyAbortSignal {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  response.once('close', leave);
  const { signal, release } = anyAbortSignal([gone.signal, ...signals]);
  return {
    signal,
    release: () => {
      response.removeListener('close', leave);
      release();
    },
  };
}
