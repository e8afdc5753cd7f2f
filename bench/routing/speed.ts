import { WordRanker } from '../../src/choosing/word-ranker.js';
import { quantile } from './measures.js';
import { type RoutingSet, textOf } from './read-sets.js';

/** What 4,000 abilities cost. Milliseconds. */
export interface Speed {
  abilities: number;
  index: number;
  p50: number;
  p95: number;
}

/** Indexes the tools of all sets, again and again under other names until there are 4,000, and asks 1,000 requests. */
export function measureSpeed(sets: readonly RoutingSet[]): Speed {
  const tools = sets.flatMap((set) => set.tools.map((tool) => ({ ...tool, examples: tool.examples.slice(0, 3) })));
  const texts = Array.from({ length: ABILITIES }, (_, at) => {
    const tool = tools[at % tools.length] as (typeof tools)[number];
    return textOf({ ...tool, id: `module${Math.floor(at / tools.length)}.${tool.id}.v${at}` });
  });
  const began = performance.now();
  const ranker = new WordRanker(texts);
  const index = performance.now() - began;
  const all = sets.flatMap(({ queries }) => queries);
  const times = Array.from({ length: 1000 }, (_, at) => {
    const text = all[(at * 7919) % all.length]?.text ?? '';
    const start = performance.now();
    ranker.rankNow({ text });
    return performance.now() - start;
  });
  return { abilities: ABILITIES, index, p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
}

const ABILITIES = 4000;
