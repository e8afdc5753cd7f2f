import { signalWithin } from '../rules/any-abort-signal.js';
import { formatDuration } from '../rules/duration.js';
import { unlessAborted } from '../rules/unless-aborted.js';
import { type Embed, EmbeddingsFault } from './embeddings-endpoint.js';
import { keyOfText, type VectorStore } from './vector-store.js';

export interface EmbeddedRequest {
  request: Float32Array;
  abilities: Float32Array[];
}

/** Stands for a missing vector: keeps the indices, and is similar to nothing. */
const NOTHING = new Float32Array();

const BATCH = 64;
/** The maximum number of cached request vectors; a request is ranked several times. */
const MAX_REQUESTS = 100;

/** Caches vectors in memory and the store's file; what a request cannot wait for is left to later ones. */
export class Embedder {
  private readonly keys: string[];
  private readonly requests = new Map<string, Float32Array>();
  /** Settles when the vectors that are being made have come, or not. */
  private going: Promise<void> | undefined;

  /** @param timeoutMs time limit for all vectors of a request. */
  constructor(
    private readonly texts: readonly string[],
    private readonly embed: Embed,
    private readonly store: VectorStore,
    private readonly timeoutMs: number,
  ) {
    this.keys = texts.map(keyOfText);
  }

  /** @throws EmbeddingsFault. */
  async embedRequest(text: string): Promise<EmbeddedRequest> {
    const { signal, isLate, release } = signalWithin(this.timeoutMs, []);
    try {
      const request = await this.vectorOf(text, signal);
      const missing = (): number[] => this.missing(request.length);
      // One request at a time embeds the missing texts; the others wait for it, and continue if texts are still
      // missing.
      while (missing().length > 0 && this.going) await unlessAborted(this.going, signal);
      if (missing().length > 0) await this.make(missing(), request.length, signal);
      return { request, abilities: this.keys.map((key) => this.store.find(key, request.length) ?? NOTHING) };
    } catch (error) {
      if (!isLate()) throw error;
      throw new EmbeddingsFault(`there was no answer within ${formatDuration(this.timeoutMs)}${this.progress()}`);
    } finally {
      release();
    }
  }

  private async vectorOf(text: string, signal: AbortSignal): Promise<Float32Array> {
    const known = this.requests.get(text);
    if (known) return known;
    const [vector] = await this.embed([text], signal);
    if (!vector) throw new EmbeddingsFault('there is no vector of the request');
    const [oldest] = this.requests.keys();
    if (this.requests.size >= MAX_REQUESTS && oldest !== undefined) this.requests.delete(oldest);
    this.requests.set(text, vector);
    return vector;
  }

  private missing(numbers: number): number[] {
    return [...this.keys.keys()].filter((at) => !this.store.find(this.keys[at] ?? '', numbers));
  }

  private make(places: readonly number[], numbers: number, signal: AbortSignal): Promise<void> {
    const making = this.makeBatches(places, numbers, signal).finally(() => {
      this.going = undefined;
      this.store.save(this.keys);
    });
    this.going = making.catch(() => {});
    return making;
  }

  private async makeBatches(places: readonly number[], numbers: number, signal: AbortSignal): Promise<void> {
    for (let from = 0; from < places.length; from += BATCH) {
      const batch = places.slice(from, from + BATCH);
      const texts = batch.map((at) => this.texts[at] ?? '');
      const vectors = await this.embed(texts, signal);
      if (vectors.some(({ length }) => length !== numbers))
        throw new EmbeddingsFault('the vectors of the abilities have another length than that of the request');
      for (const [at, vector] of vectors.entries()) this.store.add(this.keys[batch[at] ?? -1] ?? '', vector);
    }
  }

  private progress(): string {
    const [request] = this.requests.values();
    const left = request ? this.missing(request.length).length : 0;
    const made = this.keys.length - left;
    if (left === 0) return '';
    return `; ${made} of ${this.keys.length} abilities have their vectors, and the next request goes on`;
  }
}
