import { z } from 'zod';
import type { Project } from '../definitions/formats/project.js';
import { attempt } from '../text/attempt.js';
import { answerOf, traceModelCall } from '../tracing/trace-model-call.js';
import { answeredWith, denialIn, type NamedModel, namedModel, postTo, spanCodeOf } from './model-endpoint.js';

/** Its time is for all vectors of a request. */
export type EmbeddingsSettings = NamedModel;

/** Undefined if the project does not rank by meaning. @returns a sentence if it should and cannot. */
export function embeddingsSettings(
  { project: { policy } }: { project: { policy: Pick<Project['policy'], 'embeddings' | 'allowed_hosts'> } },
  env: NodeJS.ProcessEnv,
): EmbeddingsSettings | string | undefined {
  return policy.embeddings && namedModel('embeddings', policy.embeddings, policy, env);
}

/** Why there are no vectors: one sentence without a full stop, with nothing from an endpoint's response. */
export class EmbeddingsFault extends Error {
  override readonly name = 'EmbeddingsFault';
}

/** Makes a vector of length 1 for each text, in order, all of one dimension. @throws EmbeddingsFault. */
export type Embed = (texts: readonly string[], signal: AbortSignal) => Promise<Float32Array[]>;

/** The maximum size of a response. Bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** For OpenAI-compatible endpoints. */
export function embedThrough(settings: EmbeddingsSettings): Embed {
  const { url, model, timeoutMs } = settings;
  const post = postTo(settings, { timeoutMs, maxBytes: MAX_BYTES });
  return async (texts, signal) => {
    const codeOf = (error: unknown): string =>
      error instanceof EmbeddingsFault && !signal.aborted ? 'invalid_answer' : spanCodeOf(error, signal);
    try {
      return await traceModelCall({ operation: 'embeddings', model, url, codeOf }, async (report) => {
        const answer = await post({ model, input: texts, encoding_format: 'float' }, signal);
        const text = await answer.body.text();
        const vectors = readVectors(text, texts.length);
        if (typeof vectors === 'string') throw new EmbeddingsFault(`${url.host} answered ${vectors}`);
        report(() => answerOf(JSON.parse(text)));
        return vectors;
      });
    } catch (error) {
      throw faultOf(error, url, signal);
    }
  };
}

/** Omits network messages and bodies: they could contain the key, or instructions to an AI. */
function faultOf(error: unknown, { host }: URL, signal: AbortSignal): EmbeddingsFault {
  if (error instanceof EmbeddingsFault) return error;
  const [answer, denial] = [answeredWith(error), denialIn(error)];
  const { code } = error as { code?: unknown };
  const reason = /^[A-Z][A-Z0-9_]*$/.test(String(code)) ? ` (${code})` : '';
  const said = signal.aborted ? 'did not answer in time' : answer ? `answered ${answer}` : `was not reached${reason}`;
  return new EmbeddingsFault(denial?.message ?? `${host} ${said}`);
}

const MAX_NUMBERS = 16_384;

const answer = z.object({
  data: z.array(z.object({ index: z.int().nonnegative().optional(), embedding: z.array(z.number()) })),
});

/** In text order, normalized to length 1. @returns the error of the response, to follow "answered". */
function readVectors(text: string, wanted: number): Float32Array[] | string {
  const parsed = answer.safeParse(attempt(() => JSON.parse(text)));
  if (!parsed.success) return 'with something else than vectors';
  const { data } = parsed.data;
  if (data.length !== wanted) return `with ${data.length} vectors for ${wanted} texts`;
  const placed: Float32Array[] = [];
  for (const [at, { index = at, embedding }] of data.entries()) {
    if (index >= wanted || placed[index]) return 'with vectors that belong to no text';
    const vector = unitVector(embedding);
    if (!vector) return 'with a vector that has no direction';
    placed[index] = vector;
  }
  return placed.some(({ length }) => length !== placed[0]?.length) ? 'with vectors of different lengths' : placed;
}

/** Normalizes to length 1. Undefined: no numbers, too many, or all zero. */
function unitVector(numbers: readonly number[]): Float32Array | undefined {
  if (numbers.length > MAX_NUMBERS) return undefined;
  const length = Math.hypot(...numbers);
  return length > 0 && Number.isFinite(length) ? Float32Array.from(numbers, (number) => number / length) : undefined;
}
