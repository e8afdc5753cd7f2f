import { ours } from './contenders.js';
import { quantile } from './measures.js';
import type { RoutingSet } from './read-sets.js';

/** What 4,000 abilities cost. Milliseconds; of CPU for a request. */
export interface Speed {
  abilities: number;
  index: number;
  p50: number;
  p95: number;
}

/** Indexes the tools of all sets, again and again under other names until there are 4,000, and asks 1,000 requests. */
export async function measureSpeed(sets: readonly RoutingSet[]): Promise<Speed> {
  const tools = sets.flatMap((set) => set.tools.map((tool) => ({ ...tool, examples: tool.examples.slice(0, 3) })));
  const many = Array.from({ length: ABILITIES }, (_, at) => {
    const tool = tools[at % tools.length] as (typeof tools)[number];
    return { ...tool, id: `module${Math.floor(at / tools.length)}.${tool.id}.v${at}` };
  });
  const began = performance.now();
  const rank = ours().build(many);
  const index = performance.now() - began;
  const all = sets.flatMap(({ queries }) => queries);
  const times: number[] = [];
  for (let at = 0; at < 1000; at += 1) {
    const start = process.cpuUsage();
    await rank(all[(at * 7919) % all.length]?.text ?? '');
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000);
  }
  return { abilities: ABILITIES, index, p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
}

const ABILITIES = 4000;
