import { createHash } from 'node:crypto';
import type { Registry } from '../definitions/registry.js';
import type { Ranker } from './ranker.js';
import { type ChoosableAbility, readAbilities } from './read-abilities.js';
import { readScopePages, type ScopePages } from './scope-pages.js';
import { WordRanker } from './word-ranker.js';

/** The abilities of an environment, ready to be ranked for what is asked in a scope. */
export interface AbilityPool {
  abilities: ReadonlyMap<string, ChoosableAbility>;
  ranker: Ranker;
  /** Ranks documents; ids are `read:<path>`. */
  documents: Ranker;
  /** What is asked about; null: no one says. */
  scope: string | null;
}

/** So many are kept; a process serves a project, in a few environments and scopes. */
const MOST_KEPT = 8;
const kept = new Map<string, AbilityPool>();

/** The abilities of an environment with what the pages of a scope say; built once for each state of the registry and of these pages. */
export function poolOf(registry: Registry, environment: string, scope: string | null): AbilityPool {
  const pages = readScopePages(registry.root, scope);
  const said = createHash('sha256').update(pages.text).digest('hex');
  const key = [registry.root, registry.digest, environment, scope ?? '', said].join('\n');
  const before = kept.get(key);
  if (before) return before;
  const pool = build(registry, environment, scope, pages);
  const [oldest] = kept.keys();
  if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(key, pool);
  return pool;
}

function build(registry: Registry, environment: string, scope: string | null, pages: ScopePages): AbilityPool {
  const abilities = readAbilities(registry, environment);
  const texts = abilities.map(({ text, id }) => {
    const use = pages.uses.get(id);
    return use === undefined ? text : { ...text, texts: { ...text.texts, uses: [...(text.texts.uses ?? []), use] } };
  });
  return {
    abilities: new Map(abilities.map((ability) => [ability.id, ability])),
    ranker: new WordRanker(texts),
    documents: new WordRanker(pages.documents),
    scope,
  };
}
