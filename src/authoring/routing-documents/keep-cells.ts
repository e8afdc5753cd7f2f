import { join } from 'node:path/posix';
import { digestOfScope, digestOfWords, linkOf, literalOf, withoutLifecycle } from './cell-text.js';
import type { RoutedAbility } from './listed-abilities.js';
import { COLUMN } from './section-forms.js';
import { isSameScope } from './section-settings.js';

export interface KeptCells {
  cells: string[];
  /** Digests of the cells whose text comes from the definition and follows it. */
  written: string[];
  /** The author's scope, if it differs from that of the definition. */
  otherScope: string | undefined;
}

/** The columns in which an author's text stays, each with the digest that marks a text of the definition. */
const AUTHORED = [
  { column: COLUMN.words, digestOf: digestOfWords },
  { column: COLUMN.scope, digestOf: digestOfScope },
] as const;

/**
 * A row's updated cells: facts of the definition, and the author's words. Words and scope follow the definition if
 * they are empty or came from it. The author's form of id and path (backticks, link) and extra columns stay.
 * @param present the current cells. @param written the digests of the section. @param folder of the document.
 * Source: R-000-08, C-43.
 */
export function keepCells(
  present: readonly string[],
  ability: RoutedAbility,
  written: ReadonlySet<string>,
  folder: string,
): KeptCells {
  const cells = [...ability.cells, ...present.slice(ability.cells.length)];
  const digests: string[] = [];
  for (const { column, digestOf } of AUTHORED) {
    const text = textOf(present, column);
    const own = ability.cells[column] ?? '';
    if (text === '' || text === own || written.has(digestOf(ability.id, text))) digests.push(digestOf(ability.id, own));
    else cells[column] = text;
  }
  cells[COLUMN.words] = ability.lifecycle + (cells[COLUMN.words] ?? '');
  for (const column of [COLUMN.id, COLUMN.path]) {
    const text = present[column] ?? '';
    if (isFormOf(text, ability, column, folder)) cells[column] = text;
  }
  if (!ability.isKindKnown) cells[COLUMN.kind] = present[COLUMN.kind] || (ability.cells[COLUMN.kind] ?? '');
  const scope = cells[COLUMN.scope] ?? '';
  const otherScope = isSameScope(scope, ability.modules) ? undefined : scope;
  return { cells, written: digests, otherScope };
}

export function digestsOf(id: string, cells: readonly string[], written: ReadonlySet<string>): string[] {
  return AUTHORED.map(({ column, digestOf }) => digestOf(id, textOf(cells, column))).filter((one) => written.has(one));
}

/** The digests under the new id of texts that followed the definition under the former id. */
export function digestsUnder(
  id: string,
  former: string,
  cells: readonly string[],
  written: ReadonlySet<string>,
): Set<string> {
  const moved = AUTHORED.filter(({ column, digestOf }) => written.has(digestOf(former, textOf(cells, column))));
  return new Set(moved.map(({ column, digestOf }) => digestOf(id, textOf(cells, column))));
}

function textOf(cells: readonly string[], column: number): string {
  const text = cells[column] ?? '';
  return column === COLUMN.words ? withoutLifecycle(text) : text;
}

/** Whether the cell is the id or path in the author's format; a link must lead to the file. */
function isFormOf(cell: string, { cells, path }: RoutedAbility, column: number, folder: string): boolean {
  if (literalOf(cell) !== literalOf(cells[column] ?? '')) return false;
  const link = linkOf(cell);
  return link === undefined || link.target === path || join(folder, link.target) === path;
}
