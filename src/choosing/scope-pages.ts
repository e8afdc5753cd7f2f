/** The page of a scope, and routing pages to knowledge, which people write. Source: C-39, R-000-65. */
import { existsSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path/posix';
import type { AbilityText } from './ranker.js';

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
  try {
    const bytes = readFileSync(file);
    return bytes.length > MAX_BYTES ? '' : bytes.toString('utf8');
  } catch {
    return '';
  }
}

/** The column "When to use" (or "Summary") of the tables whose first column is an id. */
function usesIn(page: string): Map<string, string> {
  const uses = new Map<string, string>();
  let column = -1;
  for (const line of page.split('\n')) {
    const cells = cellsOf(line);
    if (cells.length === 0) column = -1;
    else if (/^(id|operation key)$/i.test(cells[0] ?? ''))
      column = cells.findIndex((cell) => /^(when to use|summary)$/i.test(cell));
    else if (column > 0 && cells[0] && !/^:?-+:?$/.test(cells[0])) {
      uses.set(cells[0].replaceAll('`', ''), cells[column] ?? '');
    }
  }
  return uses;
}

function cellsOf(line: string): string[] {
  const trimmed = line.trim();
  if (!trimmed.startsWith('|')) return [];
  return trimmed
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
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
