/** `traceparent` of W3C Trace Context, version 00. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export function readTraceparent(value: unknown): string | undefined {
  return typeof value === 'string' && TRACEPARENT.test(value) ? value : undefined;
}

export interface TraceContext {
  /** 32 hex digits. */
  trace: string;
  /** Id of the calling span; 16 hex digits. */
  span: string;
  /** Whether the caller records its spans. */
  sampled: boolean;
}

/** @param traceparent as {@link readTraceparent} gives it. */
export function parseTraceparent(traceparent: string): TraceContext {
  const [, trace = '', span = '', flags = '00'] = traceparent.split('-');
  return { trace, span, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ trace, span, sampled }: TraceContext): string {
  return `00-${trace}-${span}-${sampled ? '01' : '00'}`;
}
