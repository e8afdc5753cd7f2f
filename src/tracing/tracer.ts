import type { SpanAttributes } from '../contracts/traces.js';
import type { TraceContext } from '../rules/traces/trace-context.js';

/** Times are milliseconds since 1970. */
export interface EndedSpan {
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

export interface Tracer {
  /** Whether spans hold inputs and outputs of calls, too: an explicit choice of the operator. */
  readonly recordsContents: boolean;
  /** Whether a trace that begins here is written. @param trace 32 hex digits. */
  isSampled(trace: string): boolean;
  /** Queues a span; never waits or throws. The log reports how many spans could not be sent. */
  write(span: EndedSpan): void;
  /** Sends the remaining spans, within a few seconds. Never throws. */
  close(): Promise<void>;
}
