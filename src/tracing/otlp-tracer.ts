import {
  type Context,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { ATTRIBUTES } from '../contracts/traces.js';
import { endsWithin } from '../rules/any-abort-signal.js';
import type { EndedSpan, TraceLog, Tracer } from './open-tracer.js';

/** How long the end of a worker waits for its last spans. Milliseconds. */
const CLOSE_MS = 3000;
/** Minimum interval between log lines about lost spans. Milliseconds. */
const LOG_EVERY_MS = 60_000;
const NO_ID = '0'.repeat(32);

type ExportResult = Parameters<Parameters<SpanExporter['export']>[1]>[0];

/**
 * Writes spans by OTLP in protobuf over HTTP with OpenTelemetry's SDK; loaded only if traces are on. The SDK gets ended spans,
 * with our ids; it samples, collects and sends them in the background, and drops what queue or endpoint refuse.
 */
export class OtlpTracer implements Tracer {
  /** The ids for the SDK's next span. */
  private next = { trace: NO_ID, span: NO_ID };
  private readonly provider: BasicTracerProvider;

  private constructor(
    exporter: SpanExporter,
    readonly recordsContents: boolean,
    private readonly version: string,
  ) {
    const own = resourceFromAttributes({ 'service.name': 'ability-runtime', 'service.version': version });
    this.provider = new BasicTracerProvider({
      resource: own.merge(detectResources({ detectors: [envDetector] })),
      spanProcessors: [new BatchSpanProcessor(exporter)],
      idGenerator: { generateTraceId: () => this.next.trace, generateSpanId: () => this.next.span },
    });
  }

  static open(recordsContents: boolean, version: string, log: TraceLog): OtlpTracer {
    return new OtlpTracer(loggingLosses(new OTLPTraceExporter(), log), recordsContents, version);
  }

  isSampled(id: string): boolean {
    this.next = { trace: id, span: id.slice(0, 16) };
    // Never ended, so never sent.
    const probe = this.tracer.startSpan('sampled', { root: true }, ROOT_CONTEXT);
    return probe.spanContext().traceFlags === TraceFlags.SAMPLED;
  }

  write({ context, parent, name, isRequest = false, from, to, attributes, error }: EndedSpan): void {
    if (!context.sampled) return;
    this.next = { trace: context.trace, span: context.span };
    const kind = isRequest ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const all = { ...attributes, [ATTRIBUTES.errorType]: error };
    const span = this.tracer.startSpan(
      name,
      { kind, startTime: new Date(from), attributes: all },
      parent === undefined ? ROOT_CONTEXT : within(context.trace, parent),
    );
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(new Date(Math.max(from, to)));
  }

  async close(): Promise<void> {
    // The exporter has logged failures.
    await endsWithin(
      CLOSE_MS,
      this.provider.shutdown().catch(() => {}),
    );
  }

  private get tracer() {
    return this.provider.getTracer('ability-runtime', this.version);
  }
}

function within(traceId: string, spanId: string): Context {
  const parent: SpanContext = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}

/** Logs the number of lost spans, and hides losses from the SDK, which would print them with their stacks. */
function loggingLosses(exporter: SpanExporter, log: TraceLog): SpanExporter {
  let lost = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = (count: number, reason: string, atOnce = false): void => {
    lost += count;
    if (lost === 0 || (!atOnce && performance.now() - reportedAt < LOG_EVERY_MS)) return;
    reportedAt = performance.now();
    log({ lost, reason }, 'traces could not be sent');
    lost = 0;
  };
  return {
    export: (spans, done: (result: ExportResult) => void) => {
      exporter.export(spans, (result) => {
        const { code, error } = result;
        if (code !== 0) report(spans.length, error?.message || error?.name || 'no reason given');
        done({ code: 0 });
      });
    },
    shutdown: () => {
      report(0, 'the worker ends', true);
      return exporter.shutdown();
    },
    ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  };
}
