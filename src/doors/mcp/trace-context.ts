import type { JsonObject } from '../../contracts/json.js';
import { readTraceparent } from '../../rules/trace-context.js';

/** The trace context of a request; undefined where it has none, or none of its form. */
export function traceOf(meta: Record<string, unknown> | undefined): string | undefined {
  return readTraceparent(meta?.traceparent);
}

/** What an answer says besides: the session it was given in, and the trace that it belongs to. */
export function metaOf(session: string | undefined, trace: string | undefined): JsonObject {
  return {
    ...(session !== undefined && { [SESSION_KEY]: session }),
    ...(trace !== undefined && { traceparent: trace }),
  };
}

/** Where an answer has the id of the session. Source: docs/sessions.md. */
export const SESSION_KEY = 'ability-runtime/session_id';
