import { TRACE_VARIABLES as NAMES } from '../contracts/traces.js';
import type { Tracer } from './tracer.js';

export type TraceProtocol = 'http/protobuf' | 'http/json';

export type TraceSettings =
  | { state: 'off' }
  /** Traces were requested in an unsupported way; `reason` is a sentence. */
  | { state: 'unsupported'; reason: string; suggestion: string }
  | { state: 'on'; protocol: TraceProtocol; recordsContents: boolean };

export type TraceLog = (facts: Record<string, unknown>, message: string) => void;

const OFF: TraceSettings = { state: 'off' };
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
  const protocol = said(NAMES.tracesProtocol) || said(NAMES.protocol) || 'http/protobuf';
  if (protocol !== 'http/protobuf' && protocol !== 'http/json') {
    const reason = `Traces are not sent by the OTLP protocol ${protocol}, so none are written.`;
    const suggestion = `Set ${NAMES.tracesProtocol} to http/protobuf or http/json; collectors listen for these at port 4318.`;
    return { state: 'unsupported', reason, suggestion };
  }
  return { state: 'on', protocol, recordsContents: WITH_CONTENTS.includes(said(NAMES.content)) };
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
    return await OtlpTracer.open(settings, version, log);
  } catch (error) {
    log({ code: 'traces.unsupported', reason: String(error) }, 'No traces are written: the exporter could not be made');
    return undefined;
  }
}
