import { ATTRIBUTES as A, OPERATIONS, type SpanAttributes } from '../contracts/traces.js';
import { addToSpan, currentSpan, inSpanWithin } from './current-span.js';

/** A request to a model, as its span tells of it when it begins. */
export interface ModelCall {
  operation: 'chat' | 'embeddings';
  /** As it is asked for. */
  model: string;
  /** Of the endpoint. */
  url: URL;
  /** As `gen_ai.provider.name` has it; left out: `openai`, the protocol in use, whichever server answers. */
  provider?: string;
  stream?: boolean;
  maxTokens?: number;
  /** As `gen_ai.output.type` has it; left out: not asked for. */
  output?: 'text' | 'json';
  /** Code of what the request throws; left out: that of an AbilityError, else the name of the error. */
  codeOf?: (error: unknown) => string;
}

/** What an answer says of itself; what it does not say is left out. */
export interface ModelAnswer {
  id?: string | undefined;
  model?: string | undefined;
  finishReasons?: string[] | undefined;
  inputTokens?: number | undefined;
  /** Of those, read from the provider's cache. */
  cachedTokens?: number | undefined;
  outputTokens?: number | undefined;
}

/**
 * Asks a model in a span named `chat MODEL` or `embeddings MODEL`, inside of the span of the activity it is asked in: a call, or a hook.
 *
 * Each request is a call of its own: one that is tried again has a span an attempt. Messages and answers are never recorded, only counts.
 * Where no traces are written this is the work alone.
 *
 * ```ts
 * const completion = await traceModelCall({ operation: 'chat', model, url }, async (told) => {
 *   const completion = await client.chat.completions.create({ model, messages }, { signal });
 *   told(() => answerOf(completion));
 *   return completion;
 * });
 * ```
 *
 * @param work is given what takes what the answer says of itself, to be called once where there is one; read only where traces are written.
 * @throws what the work throws; the span is then an error.
 */
export function traceModelCall<T>(
  call: ModelCall,
  work: (told: (read: () => ModelAnswer) => void) => Promise<T>,
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

/** What an OpenAI-compatible completion, or a chunk of a stream, says of itself. Never throws: an endpoint may answer anything. */
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

/** Tells what an answer says of itself to the span around the code, which is that of the request. */
export function recordModelAnswer(read: () => ModelAnswer): void {
  if (currentSpan()?.open) addToSpan(answerAttributes(read()));
}

/** The attributes of a request's span when it begins, without its address. */
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

/** Host and port of an address, and nothing else of it. */
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
