import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { dirname } from 'node:path/posix';
import { type Problem, reasonOf } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { isInside } from '../../disk/paths.js';
import { fillTemplate } from '../fill-template.js';
import type { PlannedFile } from '../write-together.js';
import type { Note } from './choose-rows.js';
import { type ListedAbilities, listedAbilities } from './listed-abilities.js';
import {
  type DocumentLine,
  findOwnTables,
  isOwnPage,
  linesOf,
  type OwnTable,
  readDocument,
  textOf,
  usualEnd,
} from './read-document.js';
import { closingMarker, exampleOf, LEVELS, openingMarker } from './section-forms.js';
import { type DocumentUpdate, updateDocument } from './update-document.js';

/**
 * Who updates the tables: the runtime (`kept`; `taken_over`: from now on), the author, by a marker (`own`), or
 * neither: it has none (`none`), or they cannot be taken over, for reasons in the notes (`hindered`).
 */
type Care = 'kept' | 'taken_over' | 'hindered' | 'own' | 'none';

export type DocumentPlan = { file: string } & (
  | {
      status: 'planned';
      /** The present text; undefined if it does not exist yet. */
      before: string | undefined;
      update: DocumentUpdate;
      care: Care;
    }
  | { status: 'broken'; problems: Problem[] }
);

/** Plans the update of documents to the abilities of a project. Writes nothing. */
export function planDocuments(registry: Registry, files: readonly string[]): DocumentPlan[] {
  const pool = listedAbilities(registry);
  return files.map((file) => planDocument(registry.root, file, pool));
}

/** As {@link planDocuments}, but adds missing documents and tables, and drops rows without an ability. */
export function planAdditions(registry: Registry, files: readonly string[]): DocumentPlan[] {
  const pool = listedAbilities(registry);
  return files.map((file) => {
    if (existsSync(join(registry.root, file))) return planAddition(registry.root, file, pool);
    return planned(file, undefined, updateDocument(file, newDocument(file), pool), 'kept');
  });
}

/** What to write; nothing for a broken document. */
export function plannedFiles(plans: readonly DocumentPlan[]): PlannedFile[] {
  return plans.flatMap((plan) => {
    if (plan.status === 'broken' || plan.update.text === plan.before) return [];
    const { file, before, update } = plan;
    return [{ path: file, content: update.text, ...(before !== undefined && { before }) }];
  });
}

function planDocument(root: string, file: string, pool: ListedAbilities, options = { mayDrop: false }): DocumentPlan {
  const loaded = loadDocument(root, file);
  if ('code' in loaded) return broken(file, loaded);
  const { text } = loaded;
  const update = updateDocument(file, text, pool);
  if (Array.isArray(update)) return broken(file, ...update);
  const taken = takeOver(file, text, pool, options);
  if (taken.status === 'taken') return planned(file, text, taken.update, 'taken_over');
  const notes = taken.status === 'hindered' ? [...update.notes, ...taken.notes] : update.notes;
  return planned(file, text, { ...update, notes }, careOf(text, update, taken));
}

function careOf(text: string, { hasMarkers }: DocumentUpdate, taken: TakeOver): Care {
  if (hasMarkers) return 'kept';
  if (taken.status === 'hindered') return 'hindered';
  return isOwnPage(linesOf(text)) ? 'own' : 'none';
}

function planAddition(root: string, file: string, pool: ListedAbilities): DocumentPlan {
  const plan = planDocument(root, file, pool, { mayDrop: true });
  if (plan.status === 'broken') return plan;
  const { before = '', care } = plan;
  if (care === 'own') {
    return broken(file, invalid(file, 'The page contains `ability:own`, so no tables are maintained in it'));
  }
  if (care !== 'none') return plan;
  const update = updateDocument(file, withSections(before), pool);
  if (Array.isArray(update) || update.hasMarkers) return planned(file, before, update, 'kept');
  const message = 'A code block of the document is not closed, so tables at its end would be a part of it';
  return broken(file, invalid(file, message));
}

function broken(file: string, ...problems: Problem[]): DocumentPlan {
  return { file, status: 'broken', problems };
}

function planned(
  file: string,
  before: string | undefined,
  update: DocumentUpdate | Problem[],
  care: Care,
): DocumentPlan {
  if (Array.isArray(update)) return broken(file, ...update);
  return { file, status: 'planned', before, update, care };
}

/** Guide and empty tables. @param file from the root. Source: R-000-04, R-000-15, R-000-16, R-000-18. */
export function newDocument(file: string): string {
  const folder = dirname(file);
  const values = { OF_FOLDER: folder === '.' ? '' : ` of ${folder}`, TABLES: sections('\n').trimEnd() };
  return fillTemplate('routing/page.md', values);
}

/** Appends empty tables to a document without markers; its own text stays unchanged. */
export function withSections(text: string): string {
  const end = usualEnd(linesOf(text));
  const own = text === '' || /[\r\n]$/.test(text) ? text : text + end;
  return `${own}${own === '' ? '' : end}${sections(end)}`;
}

function sections(end: string): string {
  return LEVELS.map((level) => `${exampleOf(level)}${end}${closingMarker(level, [])}${end}`).join(end);
}

const MAX_BYTES = 1024 * 1024;

/** Reads a document. @param file relative to the root. @returns a problem if it could not be written back. */
export function loadDocument(root: string, file: string): { text: string } | Problem {
  try {
    const loaded = readFile(root, file);
    return typeof loaded === 'string' ? invalid(file, loaded) : loaded;
  } catch (error) {
    return invalid(file, `${file} cannot be read: ${reasonOf(error)}`);
  }
}

/** @returns the reason, if the file could not be written back unchanged. */
function readFile(root: string, file: string): { text: string } | string {
  const stat = statSync(join(root, file), { throwIfNoEntry: false });
  if (!stat?.isFile()) return `${file} is ${stat ? 'no file' : 'a link to something that is not there'}`;
  const path = realpathSync(join(root, file));
  if (!isInside(root, path)) return `${file} is a link that leads out of the project`;
  if (stat.size > MAX_BYTES) return `${file} is larger than ${MAX_BYTES / 1024} KiB`;
  const bytes = readFileSync(path);
  // Invalid UTF-8 would be written back changed.
  if (!isUtf8(bytes)) return `${file} is not in UTF-8`;
  return { text: bytes.toString('utf8') };
}

function invalid(file: string, message: string): Problem {
  return { code: 'docs.invalid', message, location: { file } };
}

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
