import { join } from 'node:path/posix';
import { matchesAnyGlob } from '../../text/glob.js';
import { didYouMean } from '../../text/nearest.js';
import { digestOfScope, digestOfWords, linkOf, literalOf, withoutLifecycle } from './cell-text.js';
import type { ListedAbilities, RoutedAbility } from './listed-abilities.js';
import type { Section } from './read-document.js';
import { type ArrangedRow, type ArrangedTable, arrangeColumns, type Change } from './read-table.js';
import { COLUMN, covers, type Fault, FORMS, isSameScope, type Level, type SectionSettings } from './section-forms.js';

interface ChosenRow {
  id: string;
  cells: string[];
  /** The existing line, if the row does not change. */
  raw: string | undefined;
  /** Digests of its words and its scope, where they come from the definition and follow it. */
  written: string[];
}

/** A remark for people that changes nothing in the document. */
export interface Note {
  line: number;
  message: string;
  /** The `ability lint` finding that reports the same, if any. */
  code?: 'lint.page_scope';
}

export interface Choice extends Omit<ArrangedTable, 'rows'> {
  rows: ChosenRow[];
  notes: Note[];
}

/** A section that cannot be updated, and the line (from 1) of the error. */
export interface Refusal {
  fault: Fault;
  line: number;
}

/**
 * Rows of registered abilities stay, whatever their module, and get the facts of the definition; words and scope
 * only where empty or taken from it. A row with an unknown id takes the id that the file at its path now defines,
 * else it is removed and reported. Rows of unreadable definitions stay unchanged. Unless rows are chosen by hand,
 * missing abilities of the section's modules are added. Source: R-000-17, R-000-88, C-38, C-43.
 * @param folder of the document, relative to the project root.
 */
export function chooseRows(
  section: Section,
  settings: SectionSettings,
  pool: ListedAbilities,
  folder: string,
): Choice | Refusal {
  const { level, table, opens } = section;
  const { columns, alignments, rows: present, changes } = arrangeColumns(level, table, opens + 1);
  const notes: Note[] = [];
  const rows: ChosenRow[] = [];
  const listed = new Set(present.map(({ cells }) => literalOf(cells[COLUMN.id] ?? '')));
  for (const row of present) {
    const outcome = keepRow(row, level, settings, pool, { written: section.written, listed, folder });
    if ('fault' in outcome) return { fault: outcome.fault, line: row.line };
    if (outcome.row) rows.push(outcome.row);
    if (outcome.change) changes.push({ ...outcome.change, line: row.line });
    if (outcome.note) notes.push({ line: row.line, ...outcome.note });
  }
  const here = new Set(rows.map(({ id }) => id));
  const missing = abilitiesOf(pool, level, settings).filter(({ id }) => !here.has(id));
  for (const ability of missing) {
    const message = `${ability.id} has no row here, and belongs to ${settings.modules.join(', ')}`;
    if (settings.rows === 'chosen') notes.push({ line: opens + 1, message });
    else {
      changes.push({ kind: 'added', id: ability.id, line: opens + 1, message });
      rows.push(newRow(ability, columns.length));
    }
  }
  // One empty table may be intended; if both are empty, folder and module probably differ in name.
  if (rows.length === 0 && ![...pool.byId.values()].some(({ modules }) => covers(settings.modules, modules))) {
    const within = `No ability has a scope within ${settings.modules.join(', ')}`;
    notes.push({ line: opens + 1, message: `${within}; name others in the marker: modules="..."` });
  }
  const grouped = level === 'low-level' ? groupRows(rows) : rows;
  if (grouped.some((row, index) => row !== rows[index]) && !changes.some(({ kind }) => kind === 'added')) {
    const message = 'The rows are not grouped by technology and operation type';
    changes.push({ kind: 'form', id: null, line: opens + 1, message });
  }
  return { columns, alignments, rows: grouped, changes, notes };
}

type Outcome =
  | { row?: ChosenRow; change?: Omit<Change, 'line'>; note?: Omit<Note, 'line'> | undefined }
  /** Only the author can resolve it. */
  | { fault: Fault };

interface Surroundings {
  written: ReadonlySet<string>;
  listed: ReadonlySet<string>;
  folder: string;
}

function keepRow(
  row: ArrangedRow,
  level: Level,
  { omit }: SectionSettings,
  pool: ListedAbilities,
  around: Surroundings,
): Outcome {
  const { written, listed } = around;
  const id = literalOf(row.cells[COLUMN.id] ?? '');
  const path = literalOf(row.cells[COLUMN.path] ?? '');
  if (id === '') return { fault: { message: `The row has no \`${FORMS[level].columns[COLUMN.id]}\`` } };
  const removed = (why: string): Outcome => ({
    change: { kind: 'removed', id, message: `The row of ${id} is removed: ${why}${wordsOf(row, id, written)}` },
  });
  if (matchesAnyGlob(omit, id)) return removed('the marker says to omit it');
  const ability = pool.byId.get(id);
  if (ability?.level === level) return inStep(row, ability, around);
  if (pool.isUnreadable(id, level)) return unreadable(row, id, written);
  if (ability) return removed(`it is a ${ability.level} ability`);
  const renamed = pool.byPath.get(path);
  if (renamed?.level === level && !listed.has(renamed.id)) {
    const moved = digestsUnder(renamed.id, id, row.cells, written);
    const { row: renewed, note } = inStep(row, renamed, { ...around, written: moved });
    const message = `The row of ${id} is that of ${renamed.id}, which ${path} now defines`;
    return { row: renewed, change: { kind: 'renamed', id: renamed.id, message }, note };
  }
  if (path !== '') return removed('no ability of that id is registered');
  const ids = [...pool.byId.values()].filter((known) => known.level === level).map((known) => known.id);
  const suggestion = didYouMean(id, ids) ?? 'See `ability list`.';
  return { fault: { message: `No ability of the id ${id} is registered`, suggestion } };
}

/** Updates the facts from the definition; words stay if an author wrote them. */
function inStep(
  row: ArrangedRow,
  ability: RoutedAbility,
  { written, folder }: Surroundings,
): { row: ChosenRow; change?: Omit<Change, 'line'>; note?: Omit<Note, 'line'> } {
  const { id } = ability;
  const kept = keepCells(row.cells, ability, written, folder);
  const differing = row.columns.filter((_, index) => kept.cells[index] !== row.cells[index]);
  const isRecorded = kept.written.every((digest) => written.has(digest));
  const chosen = { id, cells: kept.cells, written: kept.written, raw: differing.length === 0 ? row.raw : undefined };
  const note = kept.otherScope === undefined ? {} : { note: noteOfScope(ability, kept.otherScope) };
  if (differing.length === 0 && isRecorded) return { row: chosen, ...note };
  const message =
    differing.length > 0
      ? `The row of ${id} and its definition differ in ${differing.join(', ')}`
      : `The closing marker does not record that the text or scope of ${id} is that of its definition`;
  return { row: chosen, change: { kind: 'changed', id, message }, ...note };
}

/** An author may choose another scope than the definition; the note names both. Source: C-43. */
function noteOfScope({ id, cells }: RoutedAbility, scope: string): Omit<Note, 'line'> {
  const own = cells[COLUMN.scope] ?? '';
  return {
    code: 'lint.page_scope',
    message: `The scope of ${id} is ${scope} on this page, and ${own} in its definition`,
  };
}

/** Keeps the row: a broken definition must not cost the words of its author. */
function unreadable({ cells, raw }: ArrangedRow, id: string, written: ReadonlySet<string>): Outcome {
  const message = `The row of ${id} is left as it is, because its definition cannot be read`;
  return { row: { id, cells, raw, written: digestsOf(id, cells, written) }, note: { message } };
}

function wordsOf(row: ArrangedRow, id: string, written: ReadonlySet<string>): string {
  const own = row.cells.filter((cell, index) => {
    if (index === COLUMN.words) return cell !== '' && !written.has(digestOfWords(id, withoutLifecycle(cell)));
    return index > COLUMN.path && cell !== '';
  });
  return own.length > 0 ? `; it said: ${own.join(' | ')}` : '';
}

function abilitiesOf(pool: ListedAbilities, level: Level, { modules, omit }: SectionSettings): RoutedAbility[] {
  return [...pool.byId.values()]
    .filter((ability) => ability.level === level && covers(modules, ability.modules))
    .filter(({ id }) => !matchesAnyGlob(omit, id))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function newRow({ id, cells: own, lifecycle }: RoutedAbility, columns: number): ChosenRow {
  const empty = Array<string>(columns - own.length).fill('');
  const words = own[COLUMN.words] ?? '';
  const written = [digestOfWords(id, words), digestOfScope(id, own[COLUMN.scope] ?? '')];
  const cells = own.with(COLUMN.words, lifecycle + words);
  return { id, cells: [...cells, ...empty], raw: undefined, written };
}

/** Groups rows by technology, then operation type; both keep the author's order. Source: R-000-12. */
function groupRows(rows: readonly ChosenRow[]): ChosenRow[] {
  const byTechnology = grouped(rows, technologyOf);
  return byTechnology.flatMap((group) => grouped(group, typeOf).flat());
}

function grouped(rows: readonly ChosenRow[], nameOf: (row: ChosenRow) => string): ChosenRow[][] {
  const groups = new Map<string, ChosenRow[]>();
  for (const row of rows) {
    const name = nameOf(row);
    const group = groups.get(name);
    if (group) group.push(row);
    else groups.set(name, [row]);
  }
  return [...groups.values()];
}

/** The first word of a dotted key; keys of one word are grouped by kind. */
function technologyOf({ id, cells }: ChosenRow): string {
  const [first = '', ...rest] = id.split('.');
  return rest.length > 0 ? first : `kind ${cells[COLUMN.kind]}`;
}

/** The words between the technology and the name: `read` in `db.read.users`. */
function typeOf({ id }: ChosenRow): string {
  return id.split('.').slice(1, -1).join('.');
}

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
function keepCells(
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

function digestsOf(id: string, cells: readonly string[], written: ReadonlySet<string>): string[] {
  return AUTHORED.map(({ column, digestOf }) => digestOf(id, textOf(cells, column))).filter((one) => written.has(one));
}

/** The digests under the new id of texts that followed the definition under the former id. */
function digestsUnder(id: string, former: string, cells: readonly string[], written: ReadonlySet<string>): Set<string> {
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
