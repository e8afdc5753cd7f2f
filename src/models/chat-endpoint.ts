import { setTimeout } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { retryAtOf } from '../rules/calls/retry-after.js';
import {
  EndpointRefusal,
  isQuotaUsedUp,
  type ModelEndpoint,
  type ModelLimits,
  type Post,
  postTo,
} from './model-endpoint.js';

export type ChatMessage = { role: 'system' | 'user' | 'assistant' | 'tool'; content: string | null } & Record<
  string,
  unknown
>;

export type ChatRequest = { model: string; messages: ChatMessage[] } & Record<string, unknown>;

/** A completion, or a chunk of one. Nothing is checked: an endpoint may answer anything. */
export interface ChatCompletion {
  id?: string;
  model?: string;
  choices?: readonly (ChatChoice | null)[] | null;
  usage?: { prompt_tokens?: number; completion_tokens?: number } | null;
}

interface ChatChoice {
  finish_reason?: string | null;
  message?: { content?: string | null } | null;
  delta?: { content?: unknown; refusal?: unknown; tool_calls?: unknown } | null;
}

/** A successful answer that is a page, or a completion as a whole, where a stream was requested. */
export class NoStream extends Error {
  override readonly name = 'NoStream';
  /** @param format such as `HTML`. */
  constructor(readonly format: string) {
    super(`${format}, and not a stream`);
  }
}

/** `POST .../chat/completions`. */
export class ChatEndpoint {
  private readonly post: Post;

  constructor(model: ModelEndpoint, limits: ModelLimits) {
    const url = new URL(model.url);
    url.pathname = `${url.pathname.replace(/\/$/, '')}/chat/completions`;
    this.post = postTo({ ...model, url }, limits);
  }

  /**
   * Asks again when the endpoint says that it will answer, if that is within `ms` from now.
   * @param onWait is given the time, as ISO 8601.
   * @throws EndpointRefusal; EndpointDenied as a cause; errors of the network and of JSON.
   */
  async completeWithin(
    ms: number,
    request: ChatRequest,
    signal: AbortSignal,
    onWait: (until: string) => void = () => {},
  ): Promise<ChatCompletion> {
    const deadline = Date.now() + ms;
    for (;;) {
      try {
        const { body } = await this.post(request, signal);
        return JSON.parse(await body.text());
      } catch (error) {
        const until = retryAtIn(error);
        const left = Date.parse(until ?? '');
        if (until === undefined || !(left < deadline)) throw error;
        onWait(until);
        await setTimeout(Math.max(left - Date.now(), LEAST_WAIT_MS), undefined, { signal });
      }
    }
  }

  /** Resolves when an answer begins, to its chunks as they arrive. @throws as `completeWithin`, and NoStream. */
  async stream(request: ChatRequest, signal: AbortSignal): Promise<AsyncIterable<ChatCompletion>> {
    const streamed = { ...request, stream: true, stream_options: { include_usage: true } };
    const { headers, body } = await this.post(streamed, signal);
    const [format] = /html|json/i.exec(String(headers['content-type'])) ?? [];
    if (format) {
      body.on('error', () => {}).destroy();
      throw new NoStream(format.toUpperCase());
    }
    return chunksOf(body);
  }
}

const LEAST_WAIT_MS = 200;
/** Too many requests, and unavailable. Source: RFC 9110, 10.2.3; RFC 6585, 4. */
const LATER = new Set([429, 503]);

/** When a refused request may be sent again; undefined: never, or the endpoint does not say. */
function retryAtIn(error: unknown): string | undefined {
  if (!(error instanceof EndpointRefusal) || !LATER.has(error.status ?? 0) || isQuotaUsedUp(error)) return undefined;
  return retryAtOf(error.headers, Date.now()).retry_at;
}

/** Reads the events of a stream, up to the one that ends it. */
async function* chunksOf(body: Dispatcher.ResponseData['body']): AsyncGenerator<ChatCompletion> {
  const { createParser } = await import('eventsource-parser');
  const events: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(data) });
  let isDone = false;
  const utf8 = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(utf8.decode(bytes, { stream: true }));
    for (const data of events.splice(0)) {
      isDone ||= data.startsWith('[DONE]');
      if (isDone) continue;
      const chunk = JSON.parse(data);
      if (chunk.error) throw new EndpointRefusal(undefined, {}, chunk);
      yield chunk;
    }
  }
}

/** The text of an answer to a request for a JSON object; empty if there is none. */
export function textOf({ choices }: ChatCompletion): string {
  return choices?.[0]?.message?.content ?? '';
}

export function requestForJson(model: string, messages: ChatMessage[]): ChatRequest {
  return { model, messages, response_format: { type: 'json_object' } };
}
