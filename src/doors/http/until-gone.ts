import type { ServerResponse } from 'node:http';
import { type AnySignal, anySignal } from '../../rules/any-signal.js';

/** A signal that fires when the client has disconnected, or one of the given signals fires; once released, it is held by neither. */
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
