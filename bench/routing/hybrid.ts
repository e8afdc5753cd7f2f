import { HybridRanker, meaningOf, sent } from '../../src/choosing/hybrid-ranker.js';
import { requestOf } from '../../src/choosing/request-of.js';
import { WordRanker } from '../../src/choosing/word-ranker.js';
import { Embedder } from '../../src/models/embedder.js';
import { type Embed, embeddingsSettings, embedThrough } from '../../src/models/embeddings-endpoint.js';
import { VectorStore } from '../../src/models/vector-store.js';
import { type Contender, suggesting } from './contenders.js';
import { type Half, halfOf } from './evaluate.js';
import { quantile } from './measures.js';
import { type Query, type RoutingSet, type Tool, textOf } from './read-sets.js';

/** So many texts are sent at once. */
const BATCH = 64;
/** How long one batch may take. */
const PATIENCE_MS = 60_000;
/** Requests of a set whose time is taken one by one. */
const TIMED = 200;

/** An endpoint, as the product asks it. @throws where the address is none. */
export function endpointAt(base: string, model: string, env: NodeJS.ProcessEnv): Embed {
  const policy = { embeddings: { model, timeout: '60s' } };
  const settings = embeddingsSettings({ project: { policy } }, { ...env, OPENAI_BASE_URL: base });
  if (settings === undefined || typeof settings === 'string') throw new Error(`--embeddings: ${settings}`);
  return embedThrough(settings);
}

/** Words and meaning, as the product fuses them, and the order that meaning alone gives; all vectors are made before. */
export async function hybrids(
  sets: readonly RoutingSet[],
  embed: Embed,
  half: Half | undefined,
  print: (line: string) => void,
): Promise<Contender[]> {
  const texts = sets.flatMap(({ tools, queries }) => [
    ...tools.map((tool) => meaningOf(textOf(tool))),
    ...asked(queries, half).map(({ text }) => sent(requestOf(text))),
  ]);
  const vectors = await vectorsOf([...new Set(texts)], embed, print);
  const vectorOf = (text: string): Float32Array => {
    const vector = vectors.get(text);
    if (!vector) throw new Error('a text has no vector');
    return vector;
  };
  const build = (tools: readonly Tool[]): HybridRanker => {
    const known = tools.map(textOf);
    const abilities = known.map((one) => vectorOf(meaningOf(one)));
    return new HybridRanker(known, new WordRanker(known), {
      // `suggest` leaves addresses out, so a few texts are not among those made before.
      embedRequest: async (text) => {
        const request = vectors.get(text) ?? (await vectorsOf([text], embed, () => {})).get(text);
        if (!request) throw new Error('the request has no vector');
        return { request, abilities };
      },
    });
  };
  const hybrid: Contender = { name: 'hybrid', build: (tools) => suggesting(tools, build(tools)) };
  const meaning: Contender = {
    name: 'meaning',
    build: (tools) => {
      const ranker = build(tools);
      return async (text, among) => {
        const { ranked } = await ranker.rank({ text, limit: tools.length, ...(among && { among }) });
        return ranked
          .map(({ id, likeness = 0 }) => ({ id, score: likeness }))
          .sort((one, other) => other.score - one.score);
      };
    },
  };
  return [hybrid, meaning];
}

/** What a request costs with the endpoint: 95 % of them take at most so many milliseconds; the vectors of the abilities are there. */
export async function timeHybrid({ tools, queries }: RoutingSet, embed: Embed, file: string): Promise<number> {
  const texts = tools.map(textOf);
  const embedder = new Embedder(texts.map(meaningOf), embed, new VectorStore(file), PATIENCE_MS);
  const ranker = new HybridRanker(texts, new WordRanker(texts), embedder);
  await ranker.rank({ text: 'what is there before the first request' });
  const all = asked(queries, 'report');
  const every = Math.max(1, Math.ceil(all.length / TIMED));
  const times: number[] = [];
  for (const { text } of all.filter((_, at) => at % every === 0)) {
    const start = performance.now();
    const { warning } = await ranker.rank({ text });
    times.push(performance.now() - start);
    if (warning !== undefined) throw new Error(warning);
  }
  return quantile(times, 0.95);
}

function asked(queries: readonly Query[], half: Half | undefined): Query[] {
  return queries.filter((query) => half === undefined || halfOf(query) === half);
}

async function vectorsOf(
  texts: readonly string[],
  embed: Embed,
  print: (line: string) => void,
): Promise<Map<string, Float32Array>> {
  const vectors = new Map<string, Float32Array>();
  // Texts that are about as long as each other waste less of a batch.
  const sorted = [...texts].sort((one, other) => one.length - other.length);
  for (let from = 0; from < sorted.length; from += BATCH) {
    const batch = sorted.slice(from, from + BATCH);
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), PATIENCE_MS);
    const made = await embed(batch, controller.signal).finally(() => clearTimeout(timer));
    for (const [at, text] of batch.entries()) vectors.set(text, made[at] ?? new Float32Array());
    if (from % (BATCH * 50) === 0) print(`${from} of ${sorted.length} texts have a vector`);
  }
  return vectors;
}
