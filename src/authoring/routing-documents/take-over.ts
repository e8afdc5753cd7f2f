import type { Problem } from '../../contracts/problem.js';
import type { Note } from './choose-rows.js';
import { findOwnTables, isOwnPage, type OwnTable } from './find-own-tables.js';
import type { ListedAbilities } from './listed-abilities.js';
import { type DocumentLine, linesOf, readDocument, textOf, usualEnd } from './read-document.js';
import { closingMarker, openingMarker } from './section-forms.js';
import { type DocumentUpdate, updateDocument } from './update-document.js';

export type TakeOver =
  | { status: 'taken'; update: DocumentUpdate }
  /** Each note names a reason why the tables cannot be taken over unchanged. */
  | { status: 'hindered'; notes: Note[] }
  | { status: 'none' };

/**
 * Puts markers around tables without them; rows, words and all other lines stay. If abilities of its modules have
 * no row, the table is marked as one of chosen rows. Takes nothing over if a row would be removed or a table
 * cannot be read exactly. Source: R-000-07, R-000-12, C-43.
 * @param mayDrop allows removing rows of unregistered abilities.
 */
export function takeOver(
  file: string,
  text: string,
  pool: ListedAbilities,
  { mayDrop }: { mayDrop: boolean },
): TakeOver {
  const lines = linesOf(text);
  const tables = tablesToTake(file, text, lines);
  if (tables.length === 0) return { status: 'none' };
  const levels = tables.map(({ level }) => level);
  const doubled = tables.filter(({ level }, index) => levels.indexOf(level) !== index);
  if (doubled.length > 0) return { status: 'hindered', notes: doubled.map(noteOfDouble) };
  const unchosen = updateDocument(file, marked(lines, tables), pool);
  const chosen = new Set(tables.filter((table) => addsRows(unchosen, table, pool)).map(({ level }) => level));
  const update = updateDocument(file, marked(lines, tables, chosen), pool);
  const moved = linesAbove(tables);
  if (Array.isArray(update)) {
    const notes = update.map(({ message, location }) => ({ line: moved(location?.line ?? 1), message }));
    return { status: 'hindered', notes };
  }
  const changes = update.changes.map((change) => ({ ...change, line: moved(change.line) }));
  const notes = update.notes.map((note) => ({ ...note, line: moved(note.line) }));
  const lost = changes.filter(({ kind }) => kind === 'removed');
  if (lost.length > 0 && !mayDrop) {
    return { status: 'hindered', notes: lost.map(({ line, message }) => ({ line, message })) };
  }
  const taken = tables.map(({ level, opens }) => {
    return {
      kind: 'form' as const,
      id: null,
      line: opens + 1,
      message: `The table of ${level} abilities has no markers`,
    };
  });
  return { status: 'taken', update: { ...update, changes: [...taken, ...changes], notes } };
}

/** Tables outside of the existing sections, of levels without a section. */
function tablesToTake(file: string, text: string, lines: readonly DocumentLine[]): OwnTable[] {
  if (isOwnPage(lines)) return [];
  const document = readDocument(file, text);
  if (Array.isArray(document)) return [];
  const { sections } = document;
  const isFree = ({ level, opens }: OwnTable): boolean =>
    !sections.some((section) => section.level === level || (section.opens < opens && opens < section.closes));
  return findOwnTables(lines).filter(isFree);
}

/** Whether the section, with `rows="auto"`, would get more rows than its author wrote. */
function addsRows(update: DocumentUpdate | Problem[], { level, rows }: OwnTable, pool: ListedAbilities): boolean {
  if (Array.isArray(update) || rows === 0) return false;
  return update.changes.some(({ kind, id }) => kind === 'added' && id !== null && pool.byId.get(id)?.level === level);
}

function marked(
  lines: readonly DocumentLine[],
  tables: readonly OwnTable[],
  chosen: ReadonlySet<OwnTable['level']> = new Set(),
): string {
  const end = usualEnd(lines);
  const made: DocumentLine[] = [];
  for (const [at, line] of lines.entries()) {
    const opened = tables.find(({ opens }) => opens === at);
    const closed = tables.find(({ closes }) => closes === at);
    if (opened) {
      const { level, hasHeading } = opened;
      made.push({ text: openingMarker(level, { hasHeading, isChosen: chosen.has(level) }), end });
    }
    made.push(closed ? { ...line, end: line.end || end } : line);
    if (closed) made.push({ text: closingMarker(closed.level, []), end: line.end });
  }
  return textOf(made);
}

/** Converts a line number of the marked document into one of the original. */
function linesAbove(tables: readonly OwnTable[]): (line: number) => number {
  const places = tables.flatMap(({ opens, closes }) => [opens, closes + 1]).sort((a, b) => a - b);
  return (line) => {
    const added = places.filter((place, index) => place + index + 1 < line).length;
    return line - added;
  };
}

function noteOfDouble({ level, opens }: OwnTable): Note {
  const message = `This is a second table of ${level} abilities, and a page has only one: move its rows into the first`;
  return { line: opens + 1, message };
}
