/** How a request fares inside a long text. */
import { type Contender, plainBm25, type Rank } from './contenders.js';
import { halfOf } from './evaluate.js';
import { meanOf, ndcgAt } from './measures.js';
import type { RoutingSet } from './read-sets.js';

/** NDCG@5 of the same requests, alone and in a kind of long text. */
export interface LongFigures {
  kind: string;
  alone: number;
  own: number;
  bm25: number;
}

/** About so many requests of a set are looked at. */
const MOST = 300;

/** What stands around a request; made of other requests of the set, so that it is about something else in the same words. */
const KINDS: Record<string, (text: string, others: readonly string[]) => string> = {
  'the last of eight turns': (text, others) => {
    const turns = others.slice(0, 7).map((other, at) => `${at % 2 === 0 ? 'user' : 'assistant'}: ${other}`);
    return [...turns, `user: ${text}`].join('\n');
  },
  'before a pasted file': (text, others) => `${text}\n\`\`\`\n${others.join('\n')}\n\`\`\``,
  'before an explanation': (text, others) => `${text}\n\n${others.map(toStatement).join(' ')}`,
  'after an explanation': (text, others) => `${others.map(toStatement).join(' ')}\n\n${text}`,
};

export async function measureLong(set: RoutingSet, contender: Contender): Promise<LongFigures[]> {
  const [rank, other] = [contender, plainBm25].map((one) => one.build(set.tools));
  const all = set.queries.filter((query) => halfOf(query) === 'report' && query.gold.length > 0 && !query.candidates);
  const every = Math.max(1, Math.ceil(all.length / MOST));
  const chosen = all.filter((_, at) => at % every === 0);
  if (!rank || !other || chosen.length === 0) return [];
  const textsFor = (wrap: (text: string, others: readonly string[]) => string): string[] =>
    chosen.map(({ text }, at) => {
      const others = Array.from(
        { length: 12 },
        (_, step) => chosen[(at + 37 * (step + 1)) % chosen.length]?.text ?? '',
      );
      return wrap(text, others);
    });
  const worthOf = async (by: Rank, texts: readonly string[]): Promise<number> => {
    const worths = chosen.map(async ({ gold }, at) => {
      const ranked = await by(texts[at] ?? '');
      return ndcgAt(
        5,
        ranked.map(({ id }) => id),
        gold,
      );
    });
    return meanOf(await Promise.all(worths));
  };
  const alone = await worthOf(
    rank,
    textsFor((text) => text),
  );
  const kinds = Object.entries(KINDS).map(async ([kind, wrap]) => {
    const texts = textsFor(wrap);
    return { kind, alone, own: await worthOf(rank, texts), bm25: await worthOf(other, texts) };
  });
  return Promise.all(kinds);
}

/** A question as something that is told: "someone asked about" it. */
function toStatement(text: string): string {
  const about = text.replace(/[?!.]+/g, ',').replace(/^(?:can|could|would) you (?:please )?/i, '');
  return `Yesterday we spoke of this: ${about.replace(/,\s*$/, '')}.`;
}
