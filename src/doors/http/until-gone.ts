import type { ServerResponse } from 'node:http';
import { type AnySignal, anySignal } from '../../rules/any-signal.js';

/** Aborts when the client disconnects or one of the signals fires; `release` removes its listeners. */
export function untilGone(response: ServerResponse, signals: readonly AbortSignal[]): AnySignal {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  response.once('close', leave);
  const { signal, release } = anySignal([gone.signal, ...signals]);
  return {
    signal,
    release: () => {
      response.removeListener('close', leave);
      release();
    },
  };
}
