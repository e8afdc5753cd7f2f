import MiniSearch from 'minisearch';
import type { AbilityPool } from '../../src/choosing/ability-pool.js';
import { type Ranker, WEIGHTS, type Weights } from '../../src/choosing/ranker.js';
import type { ChoosableAbility } from '../../src/choosing/read-abilities.js';
import { suggest } from '../../src/choosing/suggest.js';
import { WordRanker } from '../../src/choosing/word-ranker.js';
import { wordTexts } from '../../src/choosing/words.js';
import { lowLevel } from '../../src/definitions/formats/low-level.js';
import { PlainBm25 } from './plain-bm25.js';
import { type Tool, textOf } from './read-sets.js';

/** Ids with scores, best first. */
export type Scored = { id: string; score: number }[];

/** A way to rank the tools of a set. */
export interface Contender {
  name: string;
  /** @returns what ranks them for a request, among some of them or all. */
  build(tools: readonly Tool[]): Rank;
}

export type Rank = (text: string, among?: ReadonlySet<string>) => Scored | Promise<Scored>;

/** Ours, as `route`, `ability_search` and the hook use it: everything that `suggest` does, without its threshold. */
export function ours(weights: Weights = WEIGHTS, name = 'ours'): Contender {
  return { name, build: (tools) => suggesting(tools, new WordRanker(tools.map(textOf), weights)) };
}

/** `suggest` over tools that are low-level abilities without inputs, in no scope. */
export function suggesting(tools: readonly Tool[], ranker: Ranker): Rank {
  const pool = poolFor(tools, ranker);
  return async (text, among) => {
    const { suggestions } = await suggest(pool, { text, limit: 10, from: 0, ...(among && { among }) });
    return suggestions;
  };
}

/** The pool of a project whose abilities these tools are. */
export function poolFor(tools: readonly Tool[], ranker: Ranker = new WordRanker(tools.map(textOf))): AbilityPool {
  const shared = { level: 'low', definition: DEFINITION, unavailable: null } as const;
  const abilities = tools.map((tool): [string, ChoosableAbility] => {
    return [tool.id, { ...shared, modules: [], scopes: [], id: tool.id, text: textOf(tool) }];
  });
  const documents = new WordRanker([]);
  return { abilities: new Map(abilities), ranker, documents, scope: null, environment: 'dev' };
}

const DEFINITION = lowLevel.parse({ operation_key: 'tool', version: 1, summary: 'A tool.', effects: 'read' });

export const plainBm25: Contender = {
  name: 'BM25',
  build: (tools) => {
    const bm25 = new PlainBm25(tools.map(allOf));
    return (text, among) => sorted(tools, bm25.scores(text), among);
  },
};

/** The library as it comes, with the same splitting of identifiers. */
export const minisearch: Contender = {
  name: 'minisearch',
  build: (tools) => {
    const search = new MiniSearch<Record<string, string | number>>({
      fields: ['id', 'name', 'group', 'description', 'params', 'examples'],
      idField: 'place',
      tokenize: wordTexts,
    });
    search.addAll(
      tools.map(({ id, name = '', group, description, params, examples }, place) => {
        return { place, id, name: name === id ? '' : name, group, description, params, examples: examples.join('\n') };
      }),
    );
    return (text, among) =>
      sorted(tools, new Map(search.search(text).map(({ id, score }) => [id as number, score])), among);
  },
};

function allOf({ id, name = '', group, description, params, examples }: Tool): string {
  return [id, name === id ? '' : name, group, description, params, ...examples].join('\n');
}

function sorted(tools: readonly Tool[], scores: ReadonlyMap<number, number>, among?: ReadonlySet<string>): Scored {
  return [...scores]
    .map(([place, score]) => ({ place, id: tools[place]?.id ?? '', score }))
    .filter(({ id }) => among === undefined || among.has(id))
    .sort((one, other) => other.score - one.score || one.place - other.place);
}
