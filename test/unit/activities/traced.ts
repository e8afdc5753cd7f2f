import type { SpanAttributes } from '../../../src/contracts/traces.js';
import { inOwnTrace } from '../../../src/tracing/current-span.js';
import type { EndedSpan, Tracer } from '../../../src/tracing/tracer.js';

/** Runs work in a span named `around`. @returns what it gives, the attributes of that span, and the spans inside it. */
export async function traced<T>(
  work: () => Promise<T>,
): Promise<{ given: T; attributes: SpanAttributes; inner: EndedSpan[] }> {
  const spans: EndedSpan[] = [];
  const tracer: Tracer = {
    recordsContents: false,
    isSampled: () => true,
    write: (span) => void spans.push(span),
    close: async () => {},
  };
  const given = await inOwnTrace(tracer, { name: 'around', attributes: {} }, work);
  return { given, attributes: spans.at(-1)?.attributes ?? {}, inner: spans.slice(0, -1) };
}
