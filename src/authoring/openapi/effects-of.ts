import type { Effect } from '../../contracts/effects.js';

/** The methods that an `api` implementation can send. */
export const METHODS = ['get', 'head', 'options', 'put', 'post', 'patch', 'delete'] as const;

/** One of {@link METHODS}. */
export type Method = (typeof METHODS)[number];

/** Methods that a description can have and no `api` implementation can send. */
export const OTHER_METHODS = ['trace', 'query'] as const;

const EFFECTS_OF: Record<Method, Effect> = {
  get: 'external_read',
  head: 'external_read',
  options: 'external_read',
  // RFC 9110, 9.2.2: twice is as good as once.
  put: 'write_idempotent',
  // As idempotent as PUT, but what is gone is gone: approval and no repetition weigh more. Source: docs/imports.md#an-mcp-server.
  delete: 'destructive',
  post: 'write_additive',
  patch: 'write_additive',
};

/** What a method changes, as RFC 9110 defines it. A document says nothing about it besides. */
export function effectsOf(method: Method): Effect {
  return EFFECTS_OF[method];
}
