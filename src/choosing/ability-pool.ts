import { existsSync } from 'node:fs';
import { join, normalize } from 'node:path/posix';
import type { Registry } from '../definitions/registry.js';
import { readUpTo } from '../disk/read-up-to.js';
import { Embedder } from '../models/embedder.js';
import { embeddingsSettings, embedThrough } from '../models/embeddings-endpoint.js';
import { keyOfText, VectorStore, vectorFileOf } from '../models/vector-store.js';
import { attempt } from '../text/attempt.js';
import { cellsOf, isTableLine } from '../text/table-cells.js';
import { HybridRanker, meaningOf, warningOf } from './hybrid-ranker.js';
import type { AbilityText, Ranker } from './ranker.js';
import { type ChoosableAbility, readAbilities } from './read-abilities.js';
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

/** The page of a scope, and routing pages to knowledge, which people write. Source: C-39, R-000-65. */
export interface ScopePages {
  /** Ability id to "When to use", in the words of the page's author. */
  uses: ReadonlyMap<string, string>;
  /** Documents that routing pages point to; ids are `read:<path>`. */
  documents: AbilityText[];
  /** The full text of all pages, to detect changes. */
  text: string;
}

/** Larger files are ignored. Bytes. */
const MAX_BYTES = 1_000_000;

/**
 * Reads a scope's `ABILITY.md`, and `ROUTING.md` of each folder from the project down to the scope. Missing and
 * too long pages count as empty. @param root absolute. @param scope as of `findScope`; null: the project.
 */
export function readScopePages(root: string, scope: string | null): ScopePages {
  const page = read(join(root, scope ?? '', 'ABILITY.md'));
  const parts = scope?.split('/') ?? [];
  const folders = ['', ...parts.map((_, at) => parts.slice(0, at + 1).join('/'))];
  const routing = folders.map((folder) => ({ folder, text: read(join(root, folder, 'ROUTING.md')) }));
  return {
    uses: usesIn(page),
    documents: routing.flatMap(({ folder, text }) => documentsIn(text, folder, root)),
    text: [page, ...routing.map(({ text }) => text)].join('\0'),
  };
}

function read(file: string): string {
  return attempt(() => readUpTo(MAX_BYTES, file))?.toString('utf8') ?? '';
}

/** The column "When to use" (or "Summary") of the tables whose first column is an id. */
function usesIn(page: string): Map<string, string> {
  const uses = new Map<string, string>();
  let column = -1;
  for (const line of page.split('\n')) {
    const [id = '', ...others] = isTableLine(line) ? cellsOf(line) : [];
    if (others.length === 0) column = -1;
    else if (/^(id|operation key)$/i.test(id))
      column = others.findIndex((cell) => /^(when to use|summary)$/i.test(cell));
    else if (column >= 0 && id && !/^:?-+:?$/.test(id)) uses.set(id.replaceAll('`', ''), others[column] ?? '');
  }
  return uses;
}

/** The linked files of the project; each gets the words of its line and of the heading above. */
function documentsIn(page: string, folder: string, root: string): AbilityText[] {
  let heading = '';
  return page.split('\n').flatMap((line) => {
    if (/^#+ /.test(line)) heading = line.replace(/^#+ /, '');
    return [...line.matchAll(/\[([^\]]*)\]\(([^)\s]+)\)/g)].flatMap(([, title = '', link = '']) => {
      const path = normalize(join(folder || '.', link.replace(/[#?].*$/, '')));
      const isInside = !/^[a-z]+:/i.test(link) && !path.startsWith('..') && !path.startsWith('/') && path !== '.';
      if (!isInside || !existsSync(join(root, path))) return [];
      const said = line.replace(/\]\([^)]*\)/g, ']').replace(/[|[\]*]/g, ' ');
      return [{ id: `read:${path}`, texts: { id: [path], name: [title], summary: [said], uses: [heading] }, not: [] }];
    });
  });
}
