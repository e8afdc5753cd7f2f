import type { Agent } from 'undici';
import { answerOf, traceModelCall } from '../tracing/model-call.js';
import type { EmbeddingsSettings } from './embeddings-settings.js';
import { denialIn, guardedLookup, refuseLiteral } from './model-endpoint.js';
import { readVectors } from './read-vectors.js';

/** Why there are no vectors: one sentence without a full stop, which has nothing of what an endpoint said. */
export class EmbeddingsFault extends Error {
  override readonly name = 'EmbeddingsFault';
}

/**
 * Makes a vector of length 1 of each text, in their order, all with as many numbers.
 *
 * @throws EmbeddingsFault.
 */
export type Embed = (texts: readonly string[], signal: AbortSignal) => Promise<Float32Array[]>;

/** Longer answers are not read. Bytes. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * An OpenAI-compatible `/v1/embeddings` endpoint. It is asked once, without retries; redirects are not followed, since they could lead to
 * where the policy does not.
 */
export function embedThrough(settings: EmbeddingsSettings): Embed {
  const { url, model, key } = settings;
  let agent: Agent | undefined;
  return async (texts, signal) => {
    const { Agent, request } = await import('undici');
    agent ??= new Agent({ maxResponseSize: MOST_BYTES, connect: { lookup: guardedLookup(settings) } });
    const dispatcher = agent;
    const codeOf = (error: unknown): string => codeOfSpan(error, signal);
    try {
      refuseLiteral(settings);
      return await traceModelCall({ operation: 'embeddings', model, url, codeOf }, async (told) => {
        const answer = await request(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
          body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
          dispatcher,
          signal,
        });
        if (answer.statusCode !== 200) {
          answer.body.on('error', () => {}).destroy();
          throw new BadStatus(url, answer.statusCode);
        }
        const text = await answer.body.text();
        const vectors = readVectors(text, texts.length);
        if (typeof vectors === 'string') throw new EmbeddingsFault(`${url.host} answered ${vectors}`);
        told(() => answerOf(JSON.parse(text)));
        return vectors;
      });
    } catch (error) {
      throw faultOf(error, url, signal);
    }
  };
}

/** An endpoint that answered, and not with vectors. */
class BadStatus extends EmbeddingsFault {
  constructor(
    { host }: URL,
    readonly status: number,
  ) {
    super(`${host} answered ${status}`);
  }
}

/** For the span of a request: the status that came, or that none did. */
function codeOfSpan(error: unknown, { aborted }: AbortSignal): string {
  if (aborted) return 'timeout';
  if (error instanceof BadStatus) return String(error.status);
  return error instanceof EmbeddingsFault ? 'invalid_answer' : 'unavailable';
}

/** Neither messages of the network nor bodies are passed on: they could hold the key, or text that is meant for an AI. */
function faultOf(error: unknown, { host }: URL, signal: AbortSignal): EmbeddingsFault {
  if (error instanceof EmbeddingsFault) return error;
  const denial = denialIn(error);
  if (denial) return new EmbeddingsFault(denial.message);
  const { code } = error as { code?: unknown };
  if (signal.aborted) return new EmbeddingsFault(`${host} did not answer in time`);
  const reason = typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? ` (${code})` : '';
  return new EmbeddingsFault(`${host} was not reached${reason}`);
}
