import type { SpanAttributes } from '../../../src/contracts/traces.js';
import { inOwnTrace } from '../../../src/tracing/current-span.js';
import type { EndedSpan, Tracer } from '../../../src/tracing/open-tracer.js';

/** A tracer that stores its spans in the order in which they ended. */
export function keepingTracer(recordsContents = false): Tracer & { spans: EndedSpan[] } {
  const spans: EndedSpan[] = [];
  const write = (span: EndedSpan): void => {
    spans.push(span);
  };
  return { recordsContents, spans, isSampled: () => true, write, close: async () => {} };
}

/**
 * Runs `work` in a span named `around`.
 *
 * @returns its result, the attributes of that span, and the spans inside it.
 */
export async function traced<T>(
  work: () => Promise<T>,
): Promise<{ given: T; attributes: SpanAttributes; inner: EndedSpan[] }> {
  const tracer = keepingTracer();
  const { spans } = tracer;
  const given = await inOwnTrace(tracer, { name: 'around', attributes: {} }, work);
  return { given, attributes: spans.at(-1)?.attributes ?? {}, inner: spans.slice(0, -1) };
}
