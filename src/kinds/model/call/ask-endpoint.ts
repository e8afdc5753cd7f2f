import { z } from 'zod';
import { CallFailure } from '../../../activities/call/call-failure.js';
import type { CallInput } from '../../../activities/call/call-input.js';
import type { Json, JsonObject } from '../../../contracts/json.js';
import type { ModelImplementation, PlanModel, PlanScript } from '../../../contracts/plan.js';
import {
  type ChatCompletion,
  ChatEndpoint,
  type ChatMessage,
  type ChatRequest,
  NoStream,
} from '../../../models/chat-endpoint.js';
import {
  answeredWith,
  denialIn,
  EndpointRefusal,
  isQuotaUsedUp,
  modelEndpoint,
} from '../../../models/model-endpoint.js';
import { isRetryableCode } from '../../../rules/calls/error-families.js';
import { notBefore, retryAtOf } from '../../../rules/calls/retry-after.js';
import { addToSpan } from '../../../tracing/current-span.js';
import { answerOf, recordModelAnswer, serverOf } from '../../../tracing/trace-model-call.js';
import { callScript, type ScriptDependencies } from '../../script/call/call-script.js';
import { MAX_ANSWER_LENGTH, MAX_CALLS_PER_TURN, type Message, type Question, type Said } from './transcript.js';

/** JSON and event framing make an answer longer than its text. */
const MAX_BYTES = 8 * MAX_ANSWER_LENGTH;
/** Upper bound only: the limit of the call applies first. */
const LONGEST_MS = 3_600_000;
const MAX_OF_REFUSAL = 300;

const UNREAD = 'was not reached, broke off its answer, or answered with what cannot be read';

/**
 * Calls a model behind an OpenAI-compatible endpoint; its answer streams into the log of the call. Endpoint and
 * key come from the worker's environment, never from a file of the project. Redirects are not followed. Neither
 * bodies nor network messages are passed on, since they could hold the key, or text for an AI. Source: C-49;
 * decision 0003. @param heard gets what has arrived, also of an answer that breaks off. @throws CallFailure `model.*`,
 * `timeout.call`.
 */
export async function askEndpoint(
  model: PlanModel,
  question: Question,
  { stop, signal, log }: Pick<CallInput, 'stop' | 'signal' | 'log'>,
  env: NodeJS.ProcessEnv,
  heard: { said?: Said } = {},
): Promise<Said> {
  const endpoint = modelEndpoint('', model, env);
  if (typeof endpoint === 'string') throw notConfigured(model, endpoint);
  const host = endpoint.url.host;
  log.add('request', `${model.name} at ${host}`);
  addToSpan(serverOf(endpoint.url));
  try {
    const chat = new ChatEndpoint(endpoint, { timeoutMs: LONGEST_MS, maxBytes: MAX_BYTES });
    const stream = await chat.stream(requestTo(model, question), stop);
    const said: Said = { text: '', calls: [], usage: undefined, isCut: false };
    heard.said = said;
    await readStream(stream, host, log, said);
    stop.throwIfAborted();
    return said;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CallFailure && !stop.aborted) throw error;
    throw failureOf(error, model, host, stop);
  }
}

function requestTo(model: PlanModel, { instructions, messages, note, tools, maxTokens }: Question): ChatRequest {
  return {
    model: model.name,
    messages: [{ role: 'system', content: instructions }, ...messages.map(asSent), { role: 'user', content: note }],
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', function: { ...tool } })) }),
    ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }),
  };
}

function asSent(message: Message): ChatMessage {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.id, content: message.content };
    case 'assistant': {
      const calls = (message.calls ?? []).map(({ id, name, arguments: text }) => ({
        id,
        type: 'function',
        function: { name, arguments: text },
      }));
      return { role: 'assistant', content: message.content || null, ...(calls.length > 0 && { tool_calls: calls }) };
    }
  }
}

async function readStream(
  stream: AsyncIterable<ChatCompletion>,
  host: string,
  log: CallInput['log'],
  said: Said,
): Promise<void> {
  let [length, refusal, finish] = [0, '', ''];
  const calls = new Map<number, Said['calls'][number]>();
  for await (const chunk of stream) {
    const { choices, usage: reported } = chunk;
    if (reported) said.usage = readUsage(reported);
    if (reported || choices?.[0]?.finish_reason) recordModelAnswer(() => answerOf(chunk));
    const [choice] = Array.isArray(choices) ? choices : [];
    if (choice?.finish_reason) finish = choice.finish_reason;
    const { content, refusal: refused, tool_calls: parts } = choice?.delta ?? {};
    if (typeof refused === 'string') refusal += refused.slice(0, MAX_OF_REFUSAL - refusal.length);
    if (typeof content === 'string' && content !== '') {
      said.text += content;
      length += content.length;
      log.write('stdout', content);
    }
    for (const part of Array.isArray(parts) ? parts : []) length += addPart(calls, part);
    said.calls = [...calls.values()];
    if (length > MAX_ANSWER_LENGTH || calls.size > MAX_CALLS_PER_TURN) throw tooMuch(host);
  }
  if (finish === '') throw new CallFailure({ code: 'model.unavailable', message: `${host} ended its answer early` });
  if (finish === 'content_filter' || refusal !== '') {
    const message = refusal ? `The model refuses to answer: ${refusal}` : `${host} filtered what the model said`;
    throw new CallFailure({ code: 'model.rejected', message }, { isFinal: true });
  }
  said.isCut = finish === 'length';
  for (const [at, call] of said.calls.entries()) call.id ||= `call_${at}`;
}

type Part = { index?: unknown; id?: unknown; function?: { name?: unknown; arguments?: unknown } };

function addPart(calls: Map<number, Said['calls'][number]>, part: Part | null): number {
  const at = typeof part?.index === 'number' ? part.index : calls.size;
  const call = calls.get(at) ?? { id: '', name: '', arguments: '' };
  calls.set(at, call);
  if (typeof part?.id === 'string' && part.id) call.id = part.id.slice(0, 100);
  const { name, arguments: text } = part?.function ?? {};
  if (typeof name === 'string') call.name += name;
  if (typeof text === 'string') call.arguments += text;
  return (typeof name === 'string' ? name.length : 0) + (typeof text === 'string' ? text.length : 0);
}

function readUsage(reported: { prompt_tokens?: unknown; completion_tokens?: unknown }) {
  const { prompt_tokens: input, completion_tokens: output } = reported;
  const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
  // Every request has tokens: with an endpoint that reports 0, the limit would never be reached.
  return isCount(input) && isCount(output) && input > 0 ? { input, output } : undefined;
}

function notConfigured(model: PlanModel, reason: string): CallFailure {
  const problem = {
    code: 'model.not_configured',
    message: `The model ${model.name} cannot be asked: ${reason}`,
    suggestion: 'Set OPENAI_BASE_URL and OPENAI_API_KEY where the worker runs (then run `ability down`).',
  };
  return new CallFailure(problem, { isFinal: true });
}

function tooMuch(host: string): CallFailure {
  const message = `${host} answered with more than ${MAX_ANSWER_LENGTH} characters or ${MAX_CALLS_PER_TURN} calls`;
  return new CallFailure({ code: 'model.answer_broken', message }, { hasArrived: true, isFinal: true });
}

function failureOf(error: unknown, model: PlanModel, host: string, stop: AbortSignal): CallFailure {
  const denial = denialIn(error);
  if (denial) return notConfigured(model, denial.message);
  if (stop.aborted) return new CallFailure({ code: 'timeout.call', message: `${host} did not end its answer in time` });
  if (error instanceof NoStream) {
    const message = `${host} answered with ${error.format}, and not with a stream`;
    const suggestion = 'Check OPENAI_BASE_URL: a page for signing in may answer there, or a server that cannot stream.';
    return new CallFailure({ code: 'model.rejected', message, suggestion }, { isFinal: true });
  }
  const { status, headers = {} } = error instanceof EndpointRefusal ? error : {};
  const answer = answeredWith(error) ?? '';
  const isUsedUp = isQuotaUsedUp(error);
  const isNever = status !== undefined && !isRetryableCode(`http.${status}`);
  if (isUsedUp || isNever) {
    const problem = {
      code: 'model.rejected',
      message: `${host} refused the request: ${answer}`,
      suggestion: isUsedUp
        ? 'The quota of the key is used up: raise it, then run `ability task retry`.'
        : `Check OPENAI_BASE_URL and the key, and whether ${host} has the model ${model.name}, supports tools, and has room for the request.`,
    };
    return new CallFailure(problem, { isFinal: true });
  }
  const later = retryAtOf(headers, Date.now());
  const unread = error instanceof SyntaxError ? 'answered with what is no JSON' : UNREAD;
  const said = answer ? `answered ${answer}` : unread;
  return new CallFailure({ code: 'model.unavailable', message: `${host} ${said}${notBefore(later)}`, details: later });
}

const said = z.strictObject({
  text: z.string().max(MAX_ANSWER_LENGTH).default(''),
  calls: z
    .array(
      z.strictObject({
        id: z.string().max(100).optional(),
        name: z.string().max(MAX_ANSWER_LENGTH),
        arguments: z.union([z.string().max(MAX_ANSWER_LENGTH), z.record(z.string(), z.json())]).default({}),
      }),
    )
    .max(MAX_CALLS_PER_TURN)
    .default([]),
  usage: z.strictObject({ input_tokens: z.number().int().min(0), output_tokens: z.number().int().min(0) }).optional(),
});

/**
 * Runs a program of the project as a model: it reads the request as JSON on stdin, and writes `{text?, calls?:
 * [{id?, name, arguments}], usage?}`. @throws CallFailure `script.*`, `timeout.call`, `model.answer_broken`.
 */
export async function askProgram(
  { model: _, ...base }: ModelImplementation,
  script: PlanScript,
  { instructions, messages, note, tools, maxTokens }: Question,
  call: CallInput,
  dependencies: ScriptDependencies,
): Promise<Said> {
  const input = { instructions, messages, note, tools, ...(maxTokens !== undefined && { max_tokens: maxTokens }) };
  const asModelCall = { ...call, input: input as unknown as JsonObject };
  const output = await callScript({ ...base, kind: 'script', script }, asModelCall, dependencies);
  return readSaid(output, script.path);
}

/** Reads a program's answer. @param who names it in the error. @throws CallFailure `model.answer_broken`. */
export function readSaid(output: Json, who: string): Said {
  const read = said.safeParse(output);
  if (!read.success) {
    const [issue] = read.error.issues;
    const place = issue?.path.length ? ` at ${issue.path.join('.')}` : '';
    const message = `${who} did not answer in the form required of a model${place}: ${issue?.message ?? 'unreadable'}`;
    throw new CallFailure({ code: 'model.answer_broken', message });
  }
  const { text, calls, usage } = read.data;
  recordModelAnswer(() => ({ inputTokens: usage?.input_tokens, outputTokens: usage?.output_tokens }));
  return {
    text,
    calls: calls.map(({ id, name, arguments: given }, at) => ({
      id: id ?? `call_${at}`,
      name,
      arguments: typeof given === 'string' ? given : JSON.stringify(given),
    })),
    usage: usage && { input: usage.input_tokens, output: usage.output_tokens },
    isCut: false,
  };
}
