import type { Registry } from '../definitions/registry.js';
import { Embedder } from '../models/embedder.js';
import { embeddingsSettings, embedThrough } from '../models/embeddings-endpoint.js';
import { keyOfText, VectorStore, vectorFileOf } from '../models/vector-store.js';
import { HybridRanker, meaningOf, warningOf } from './hybrid-ranker.js';
import type { AbilityText, Ranker } from './ranker.js';
import { type ChoosableAbility, readAbilities } from './read-abilities.js';
import { readScopePages } from './scope-pages.js';
import { WordRanker } from './word-ranker.js';

export interface AbilityPool {
  environment: string;
  /** All of the project, also those that cannot run in the environment. */
  abilities: ReadonlyMap<string, ChoosableAbility>;
  ranker: Ranker;
  documents: Ranker;
  /** The scope of the request; null: none is given. */
  scope: string | null;
}

/** The maximum number of cached pools; a process serves a project, in a few environments and scopes. */
const MAX_KEPT = 8;
const kept = new Map<string, AbilityPool>();

/**
 * The abilities of a project, cached by the registry, the environment, the scope's pages and the settings for
 * embeddings. @param env holds the address and the key of embeddings.
 */
export function poolOf(
  registry: Registry,
  environment: string,
  scope: string | null,
  env: NodeJS.ProcessEnv = process.env,
): AbilityPool {
  const pages = readScopePages(registry.root, scope);
  const settings = embeddingsSettings(registry, env);
  const key = keyOfText(JSON.stringify([registry.root, registry.digest, environment, scope, pages.text, settings]));
  const before = kept.get(key);
  if (before) return before;
  const abilities = readAbilities(registry, environment);
  const texts = abilities.map(({ text, id }) => {
    const uses = [...(text.texts.uses ?? []), pages.uses.get(id) ?? []].flat();
    return { ...text, texts: { ...text.texts, uses } };
  });
  const pool = {
    environment,
    abilities: new Map(abilities.map((ability) => [ability.id, ability])),
    ranker: rankerOf(registry.root, texts, settings),
    documents: new WordRanker(pages.documents),
    scope,
  };
  const [oldest] = kept.keys();
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(key, pool);
  return pool;
}

/** By words, and by meaning if the project enables it; on a configuration error, each ranking has a warning. */
function rankerOf(
  root: string,
  texts: readonly AbilityText[],
  settings: ReturnType<typeof embeddingsSettings>,
): Ranker {
  const words = new WordRanker(texts);
  if (settings === undefined) return words;
  if (typeof settings === 'string')
    return { rank: async (query) => ({ ...(await words.rank(query)), warning: warningOf(settings) }) };
  const store = new VectorStore(vectorFileOf(root, settings));
  const embedder = new Embedder(texts.map(meaningOf), embedThrough(settings), store, settings.timeoutMs);
  return new HybridRanker(texts, words, embedder);
}
