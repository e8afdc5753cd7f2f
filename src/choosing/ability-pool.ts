import type { Registry } from '../definitions/registry.js';
import type { Ranker } from './ranker.js';
import { type ChoosableAbility, readAbilities } from './read-abilities.js';
import { WordRanker } from './word-ranker.js';

/** The abilities of an environment, ready to be ranked. */
export interface AbilityPool {
  abilities: ReadonlyMap<string, ChoosableAbility>;
  ranker: Ranker;
}

/** So many are kept; a process serves a project, in a few environments. */
const MOST_KEPT = 8;
const kept = new Map<string, AbilityPool>();

/** The abilities of an environment; built once for each registry. */
export function poolOf(registry: Registry, environment: string): AbilityPool {
  const key = `${registry.root}\n${registry.digest}\n${environment}`;
  const before = kept.get(key);
  if (before) return before;
  const abilities = readAbilities(registry, environment);
  const pool = {
    abilities: new Map(abilities.map((ability) => [ability.id, ability])),
    ranker: new WordRanker(abilities.map(({ text }) => text)),
  };
  const [oldest] = kept.keys();
  if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(key, pool);
  return pool;
}
