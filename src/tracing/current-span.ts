import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { AbilityError } from '../contracts/problem.js';
import type { SpanAttributes } from '../contracts/traces.js';
import { formatTraceparent, type TraceContext } from '../rules/traces/trace-context.js';
import type { Tracer } from './open-tracer.js';

/** The span of the current code, and parent of its next spans. */
export interface CurrentSpan {
  tracer: Tracer;
  context: TraceContext;
  /** Absent: another part of the program writes the span. */
  open?: OpenSpan;
}

const current = new AsyncLocalStorage<CurrentSpan>();

/** Undefined if no traces are written. */
export function currentSpan(): CurrentSpan | undefined {
  return current.getStore();
}

/** The `traceparent` for outgoing requests; undefined if no traces are written. */
export function currentTraceparent(): string | undefined {
  const span = current.getStore();
  return span && formatTraceparent(span.context);
}

/** Does nothing unless there is an open span. */
export function addToSpan(attributes: SpanAttributes): void {
  current.getStore()?.open?.set(attributes);
}

/** Runs work inside a span that another part of the program writes. */
export function runWithin<T>(span: CurrentSpan, work: () => Promise<T>): Promise<T> {
  return current.run(span, work);
}

export interface OpenSpan {
  /** Adds attributes; ignores undefined ones. */
  set(attributes: SpanAttributes): void;
  /** Makes it a failed one though the work does not throw. @param code of the error. */
  fail(code: string): void;
}

export interface NewSpan {
  name: string;
  isRequest?: boolean;
  attributes: SpanAttributes;
  /** Code of a thrown error; omitted: that of an AbilityError, else the name of the error. */
  codeOf?: (error: unknown) => string;
}

/** Runs work in a span with a known id. @throws errors of the work. */
export async function inSpan<T>(
  { tracer, context }: CurrentSpan,
  parent: string | undefined,
  { name, isRequest, attributes, codeOf = codeOfError }: NewSpan,
  work: (span: OpenSpan) => Promise<T>,
): Promise<T> {
  const from = Date.now();
  const begun = performance.now();
  const all: SpanAttributes = { ...attributes };
  let error: string | undefined;
  const open: OpenSpan = {
    set: (more) => {
      for (const [key, value] of Object.entries(more)) if (value !== undefined) all[key] = value;
    },
    fail: (code) => {
      error = code;
    },
  };
  try {
    return await current.run({ tracer, context, open }, () => work(open));
  } catch (thrown) {
    error = codeOf(thrown);
    throw thrown;
  } finally {
    // Monotonic, so that setting the clock changes no duration.
    const to = from + performance.now() - begun;
    tracer.write({ context, parent, name, ...(isRequest && { isRequest }), from, to, attributes: all, error });
  }
}

/** Runs work in a span of its own inside of another one. @throws errors of the work. */
export function inSpanWithin<T>(
  { tracer, context }: CurrentSpan,
  span: NewSpan,
  work: (span: OpenSpan) => Promise<T>,
): Promise<T> {
  return inSpan({ tracer, context: { ...context, span: newSpanId() } }, context.span, span, work);
}

/** Runs work in a span that begins a trace of its own; without a tracer, just runs it. @throws errors of the work. */
export function inOwnTrace<T>(tracer: Tracer | undefined, span: NewSpan, work: () => Promise<T>): Promise<T> {
  if (!tracer) return work();
  const trace = randomBytes(16).toString('hex');
  return inSpan(
    { tracer, context: { trace, span: newSpanId(), sampled: tracer.isSampled(trace) } },
    undefined,
    span,
    work,
  );
}

/** 16 random hex digits, for spans whose id need not be derived. */
export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

function codeOfError(error: unknown): string {
  if (error instanceof AbilityError) return error.code;
  return error instanceof Error ? error.name : '_OTHER';
}
