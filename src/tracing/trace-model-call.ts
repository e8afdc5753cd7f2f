import { ATTRIBUTES as A, OPERATIONS, type SpanAttributes } from '../contracts/traces.js';
import { addToSpan, currentSpan, inSpanWithin } from './current-span.js';

export interface ModelCall {
  operation: 'chat' | 'embeddings';
  model: string;
  url: URL;
  /** Value of `gen_ai.provider.name`; omitted: `openai`, the protocol, whatever server answers. */
  provider?: string;
  stream?: boolean;
  maxTokens?: number;
  /** Value of `gen_ai.output.type`; omitted: not requested. */
  output?: 'text' | 'json';
  /** Code of a thrown error; omitted: that of an AbilityError, else the name of the error. */
  codeOf?: (error: unknown) => string;
}

/** Metadata of an answer; unknown fields are omitted. */
export interface ModelAnswer {
  id?: string | undefined;
  model?: string | undefined;
  finishReasons?: string[] | undefined;
  inputTokens?: number | undefined;
  /** Number of input tokens read from the provider's cache. */
  cachedTokens?: number | undefined;
  outputTokens?: number | undefined;
}

/**
 * Calls a model in a span named `chat MODEL` or `embeddings MODEL`, inside the span of the current activity. Use
 * it for each request, so that a retried one has a span per attempt. Messages and answers are never recorded, only
 * counts. Without traces this just runs the work.
 * ```ts
 * const completion = await traceModelCall({ operation: 'chat', model, url }, async (report) => {
 *   const completion = await chat.complete({ model, messages }, signal);
 *   report(() => answerOf(completion));
 *   return completion;
 * });
 * ```
 * @param work receives a callback for the answer's metadata, to be called once with a function that is evaluated
 * only if traces are written. @throws errors of the work; the span is then an error.
 */
export function traceModelCall<T>(
  call: ModelCall,
  work: (report: (read: () => ModelAnswer) => void) => Promise<T>,
): Promise<T> {
  const around = currentSpan();
  if (!around) return work(() => {});
  const { operation, model, url, codeOf } = call;
  const name = `${OPERATIONS[operation]} ${model}`;
  const span = {
    name,
    isRequest: true,
    attributes: { ...modelAttributes(call), ...serverOf(url) },
    ...(codeOf && { codeOf }),
  };
  return inSpanWithin(around, span, (open) => work((read) => open.set(answerAttributes(read()))));
}

/** Metadata of an OpenAI-compatible completion or chunk. Never throws: an endpoint may answer anything. */
export function answerOf(completion: {
  id?: string;
  model?: string;
  choices?: readonly ({ finish_reason?: string | null } | null)[] | null;
  usage?: {
    prompt_tokens?: number;
    completion_tokens?: number;
    prompt_tokens_details?: { cached_tokens?: number } | null;
  } | null;
}): ModelAnswer {
  const { id, model, choices, usage } = completion;
  const reasons = (Array.isArray(choices) ? choices : []).flatMap((choice) => choice?.finish_reason || []);
  return {
    id,
    model,
    finishReasons: reasons.length > 0 ? reasons : undefined,
    inputTokens: usage?.prompt_tokens,
    cachedTokens: usage?.prompt_tokens_details?.cached_tokens,
    outputTokens: usage?.completion_tokens,
  };
}

/** Adds to the current span, which must be that of the request. */
export function recordModelAnswer(read: () => ModelAnswer): void {
  if (currentSpan()?.open) addToSpan(answerAttributes(read()));
}

/** Attributes at the start of the request, without its address. */
export function modelAttributes({
  operation,
  model,
  provider = 'openai',
  ...call
}: Omit<ModelCall, 'url'>): SpanAttributes {
  return {
    [A.operation]: OPERATIONS[operation],
    [A.provider]: provider,
    [A.requestModel]: model,
    [A.requestStream]: call.stream || undefined,
    [A.requestMaxTokens]: call.maxTokens,
    [A.outputType]: call.output,
  };
}

/** Only host and port. */
export function serverOf(url: URL): SpanAttributes {
  const usual = url.protocol === 'https:' ? 443 : 80;
  return { [A.serverAddress]: url.hostname, [A.serverPort]: url.port === '' ? usual : Number(url.port) };
}

function answerAttributes({
  id,
  model,
  finishReasons,
  inputTokens,
  cachedTokens,
  outputTokens,
}: ModelAnswer): SpanAttributes {
  return {
    [A.responseId]: textOf(id),
    [A.responseModel]: textOf(model),
    [A.finishReasons]: finishReasons
      ?.filter((reason) => typeof reason === 'string')
      .map((reason) => reason.slice(0, 100)),
    [A.inputTokens]: countOf(inputTokens),
    [A.cachedTokens]: countOf(cachedTokens),
    [A.outputTokens]: countOf(outputTokens),
  };
}

/** Endpoints may answer anything. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, 200) : undefined;
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
