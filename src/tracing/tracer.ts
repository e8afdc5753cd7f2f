import type { SpanAttributes } from '../contracts/traces.js';
import type { TraceContext } from '../rules/traces/trace-context.js';

/** A span that has ended. Moments are milliseconds since 1970. */
export interface EndedSpan {
  /** Of the span itself. */
  context: TraceContext;
  /** Id of the span around it; absent: it begins its trace. */
  parent?: string | undefined;
  name: string;
  /** Whether it is a request to another process. */
  isRequest?: boolean;
  from: number;
  to: number;
  attributes: SpanAttributes;
  /** Code of the error it ended with; absent: it ended well. Messages are left out: they quote inputs and outputs. */
  error?: string | undefined;
}

/** Writes spans to where the environment says. */
export interface Tracer {
  /** Whether spans hold inputs and outputs of calls, too: an explicit choice of the operator. */
  readonly recordsContents: boolean;
  /** Whether a trace that begins here is written. @param trace 32 hex digits. */
  isSampled(trace: string): boolean;
  /** Takes a span; never waits, never throws. One that cannot be sent is lost, and the log says how many were. */
  write(span: EndedSpan): void;
  /** Sends the remaining spans, within a few seconds. Never throws. */
  close(): Promise<void>;
}
