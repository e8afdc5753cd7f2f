import { join } from 'node:path/posix';
import type { RoutedAbility } from './ability-pool.js';
import { digestOfScope, digestOfWords, linkOf, literalOf, withoutStanding } from './cell-text.js';
import { COLUMN } from './section-forms.js';
import { isSameScope } from './section-settings.js';

/** The cells of a row beside its definition. */
export interface KeptCells {
  /** As they should be. */
  cells: string[];
  /** Digests of the cells whose text is that of the definition, and follows it. */
  written: string[];
  /** The scope that the author wrote, where it says something else than the definition. */
  otherScope: string | undefined;
}

/** The columns in which an author's text stays, each with the digest that marks a text of the definition. */
const AUTHORED = [
  { column: COLUMN.words, digestOf: digestOfWords },
  { column: COLUMN.scope, digestOf: digestOfScope },
] as const;

/**
 * The cells of a row as they should be: facts of the definition, and the author's words.
 *
 * Words and scope follow the definition where they are empty, or where it gave them. Id and path stay in backticks or a
 * link that leads to the file. Columns of the author's own stay. Source: R-000-08, C-43.
 *
 * @param present the cells as they are; @param written the digests of the section; @param folder of the document.
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
  cells[COLUMN.words] = ability.standing + (cells[COLUMN.words] ?? '');
  for (const column of [COLUMN.id, COLUMN.path]) {
    const text = present[column] ?? '';
    if (isFormOf(text, ability, column, folder)) cells[column] = text;
  }
  if (!ability.isKindKnown) cells[COLUMN.kind] = present[COLUMN.kind] || (ability.cells[COLUMN.kind] ?? '');
  const scope = cells[COLUMN.scope] ?? '';
  const otherScope = isSameScope(scope, ability.modules) ? undefined : scope;
  return { cells, written: digests, otherScope };
}

/** The digests of a row that stays as it is, of those that the section has. */
export function digestsOf(id: string, cells: readonly string[], written: ReadonlySet<string>): string[] {
  return AUTHORED.map(({ column, digestOf }) => digestOf(id, textOf(cells, column))).filter((one) => written.has(one));
}

/** Text that followed the definition under a former id follows it under the new one. */
export function digestsUnder(
  id: string,
  former: string,
  cells: readonly string[],
  written: ReadonlySet<string>,
): Set<string> {
  const moved = AUTHORED.filter(({ column, digestOf }) => written.has(digestOf(former, textOf(cells, column))));
  return new Set(moved.map(({ column, digestOf }) => digestOf(id, textOf(cells, column))));
}

/** The text of a column, without its prefix. */
function textOf(cells: readonly string[], column: number): string {
  const text = cells[column] ?? '';
  return column === COLUMN.words ? withoutStanding(text) : text;
}

/** Whether a cell says id or path in a form of the author's; a link must lead to the file, or it would lie. */
function isFormOf(cell: string, { cells, path }: RoutedAbility, column: number, folder: string): boolean {
  if (literalOf(cell) !== literalOf(cells[column] ?? '')) return false;
  const link = linkOf(cell);
  return link === undefined || link.target === path || join(folder, link.target) === path;
}
