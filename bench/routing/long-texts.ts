/** How a request fares inside a long text: searched for whole, and after `requestOf` took out what asks. */
import { requestOf } from '../../src/choosing/request-of.js';
import type { Contender } from './contenders.js';
import { halfOf } from './evaluate.js';
import { meanOf, ndcgAt } from './measures.js';
import type { Query, RoutingSet } from './read-sets.js';

/** NDCG@5 of the same requests, alone and in a kind of long text. */
export interface LongFigures {
  kind: string;
  alone: number;
  whole: number;
  request: number;
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

export function measureLong(set: RoutingSet, contender: Contender): LongFigures[] {
  const rank = contender.build(set.tools);
  const all = set.queries.filter((query) => halfOf(query) === 'report' && query.gold.length > 0 && !query.candidates);
  const every = Math.max(1, Math.ceil(all.length / MOST));
  const chosen = all.filter((_, at) => at % every === 0);
  const worthOf = (query: Query, text: string): number =>
    ndcgAt(
      5,
      rank(text).map(({ id }) => id),
      query.gold,
    );
  const others = (at: number): string[] => {
    return Array.from({ length: 12 }, (_, step) => chosen[(at + 37 * (step + 1)) % chosen.length]?.text ?? '');
  };
  if (chosen.length === 0) return [];
  return Object.entries(KINDS).map(([kind, wrap]) => {
    const texts = chosen.map((query, at) => ({ query, long: wrap(query.text, others(at)) }));
    return {
      kind,
      alone: meanOf(texts.map(({ query }) => worthOf(query, query.text))),
      whole: meanOf(texts.map(({ query, long }) => worthOf(query, long))),
      request: meanOf(texts.map(({ query, long }) => worthOf(query, requestOf(long)))),
    };
  });
}

/** A question as something that is told: "someone asked about" it. */
function toStatement(text: string): string {
  const about = text.replace(/[?!.]+/g, ',').replace(/^(?:can|could|would) you (?:please )?/i, '');
  return `Yesterday we spoke of this: ${about.replace(/,\s*$/, '')}.`;
}
