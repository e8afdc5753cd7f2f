import type { JsonObject } from '../../contracts/json.js';

/** `traceparent` of W3C Trace Context, version 00. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace context of a request; undefined where it has none, or none of that form. */
export function traceOf(meta: Record<string, unknown> | undefined): string | undefined {
  const trace = meta?.traceparent;
  return typeof trace === 'string' && TRACEPARENT.test(trace) ? trace : undefined;
}

/** What an answer says besides: the session it was given in, and the trace that it belongs to. */
export function metaOf(session: string | undefined, trace: string | undefined): JsonObject {
  return {
    ...(session !== undefined && { [SESSION_KEY]: session }),
    ...(trace !== undefined && { traceparent: trace }),
  };
}

/** Where an answer has the id of the session. Source: exact shapes, section 1. */
export const SESSION_KEY = 'ability-runtime/session_id';
