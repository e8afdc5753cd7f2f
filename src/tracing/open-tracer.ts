import { TRACE_VARIABLES as NAMES, type SpanAttributes } from '../contracts/traces.js';
import type { TraceContext } from '../rules/traces/trace-context.js';

export type TraceSettings =
  | { state: 'off' }
  /** Traces were requested in an unsupported way; `reason` is a sentence. */
  | { state: 'unsupported'; reason: string; suggestion: string }
  | { state: 'on'; recordsContents: boolean };

export type TraceLog = (facts: Record<string, unknown>, message: string) => void;

const OFF: TraceSettings = { state: 'off' };
const PROTOCOL = 'http/protobuf';
const WITH_CONTENTS = ['true', 'span_only', 'span_and_event'];

/** Reads the standard variables: off, unless an exporter or an endpoint is named. */
export function readTraceSettings(env: NodeJS.ProcessEnv): TraceSettings {
  const said = (name: string): string => (env[name] ?? '').trim().toLowerCase();
  if (said(NAMES.disabled) === 'true') return OFF;
  const exporter = said(NAMES.exporter);
  const hasEndpoint = [NAMES.endpoint, NAMES.tracesEndpoint].some((name) => said(name) !== '');
  if (exporter === 'none' || (exporter === '' && !hasEndpoint)) return OFF;
  if (exporter !== '' && exporter !== 'otlp') {
    const reason = `${NAMES.exporter}=${exporter} is not a supported exporter, so no traces are written.`;
    return { state: 'unsupported', reason, suggestion: `Set it to otlp or none.` };
  }
  const protocol = said(NAMES.tracesProtocol) || said(NAMES.protocol) || PROTOCOL;
  if (protocol !== PROTOCOL) {
    const reason = `Traces are not sent by the OTLP protocol ${protocol}, so none are written.`;
    const suggestion = `Set ${NAMES.tracesProtocol} to ${PROTOCOL}; collectors listen for it at port 4318.`;
    return { state: 'unsupported', reason, suggestion };
  }
  return { state: 'on', recordsContents: WITH_CONTENTS.includes(said(NAMES.content)) };
}

/**
 * The tracer that the environment asks for; undefined if traces are off, without loading OpenTelemetry. Logs
 * failures instead of throwing: no task waits for traces. The SDK reads its other variables from `process.env`.
 */
export async function openTracer(log: TraceLog, version: string): Promise<Tracer | undefined> {
  const settings = readTraceSettings(process.env);
  if (settings.state === 'off') return undefined;
  if (settings.state === 'unsupported') {
    log({ code: 'traces.unsupported', suggestion: settings.suggestion }, settings.reason);
    return undefined;
  }
  try {
    const { OtlpTracer } = await import('./otlp-tracer.js');
    return OtlpTracer.open(settings.recordsContents, version, log);
  } catch (error) {
    log({ code: 'traces.unsupported', reason: String(error) }, 'No traces are written: the exporter could not be made');
    return undefined;
  }
}

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
