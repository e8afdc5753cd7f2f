import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { dirname } from 'node:path/posix';
import { type Problem, reasonOf } from '../../contracts/problem.js';
import { isInside } from '../../definitions/read-files.js';
import type { Registry } from '../../definitions/registry.js';
import { fillTemplate } from '../fill-template.js';
import { type AbilityPool, abilityPool } from './ability-pool.js';
import { linesOf, usualEnd } from './document-lines.js';
import { isOwnPage } from './find-own-tables.js';
import { closingMarker, exampleOf, LEVELS } from './section-forms.js';
import { type TakeOver, takeOver } from './take-over.js';
import { type DocumentUpdate, updateDocument } from './update-document.js';

/**
 * Who keeps the tables of a document in step: the runtime (`kept`; `taken_over`: from now on), or its author, who says so
 * (`own`); or no one, because it has none (`none`) or they cannot be taken over as they are (`hindered`; its notes say why).
 */
export type Care = 'kept' | 'taken_over' | 'hindered' | 'own' | 'none';

/** The planned state of a document, before anything is written. */
export type DocumentPlan = { file: string } & (
  | {
      status: 'planned';
      /** The present text; undefined if it does not exist yet. */
      before: string | undefined;
      update: DocumentUpdate;
      care: Care;
    }
  /** It is to stay as it is. */
  | { status: 'broken'; problems: Problem[] }
);

/** Plans how to keep documents in step with the abilities of a project. Writes nothing. */
export function planDocuments(registry: Registry, files: readonly string[]): DocumentPlan[] {
  const pool = abilityPool(registry);
  return files.map((file) => planDocument(registry.root, file, pool));
}

/**
 * The same for documents that are to be there: what has no tables gets them, what is not there is written anew, and rows of
 * abilities that are not registered do not keep a table from being taken over.
 */
export function planAdditions(registry: Registry, files: readonly string[]): DocumentPlan[] {
  const pool = abilityPool(registry);
  return files.map((file) => {
    if (existsSync(join(registry.root, file))) return planAddition(registry.root, file, pool);
    return planned(file, undefined, updateDocument(file, newDocument(file), pool), 'kept');
  });
}

function planDocument(root: string, file: string, pool: AbilityPool, options = { mayDrop: false }): DocumentPlan {
  const loaded = loadDocument(root, file);
  if ('code' in loaded) return { file, status: 'broken', problems: [loaded] };
  const { text } = loaded;
  const update = updateDocument(file, text, pool);
  if (Array.isArray(update)) return { file, status: 'broken', problems: update };
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

function planAddition(root: string, file: string, pool: AbilityPool): DocumentPlan {
  const plan = planDocument(root, file, pool, { mayDrop: true });
  if (plan.status === 'broken') return plan;
  const { before = '', care } = plan;
  if (care === 'own') return refused(file, 'The page says `ability:own`, so that no tables are kept in it');
  if (care !== 'none') return plan;
  const update = updateDocument(file, withSections(before), pool);
  if (Array.isArray(update) || update.hasMarkers) return planned(file, before, update, 'kept');
  return refused(file, 'A code block of the document is not closed, so tables at its end would be a part of it');
}

function refused(file: string, message: string): DocumentPlan {
  return { file, status: 'broken', problems: [{ code: 'docs.invalid', message, location: { file } }] };
}

function planned(
  file: string,
  before: string | undefined,
  update: DocumentUpdate | Problem[],
  care: Care,
): DocumentPlan {
  if (Array.isArray(update)) return { file, status: 'broken', problems: update };
  return { file, status: 'planned', before, update, care };
}

/**
 * A new document: how to find one's way, and empty tables. Source: R-000-18, R-000-04, R-000-15, R-000-16.
 *
 * @param file relative to the project root.
 */
export function newDocument(file: string): string {
  const folder = dirname(file);
  const values = { OF_FOLDER: folder === '.' ? '' : ` of ${folder}`, TABLES: sections('\n').trimEnd() };
  return fillTemplate('routing/page.md', values);
}

/** A document that had no markers, with empty tables at its end; its own words stay as they are. */
export function withSections(text: string): string {
  const end = usualEnd(linesOf(text));
  const own = text === '' || /[\r\n]$/.test(text) ? text : text + end;
  return `${own}${own === '' ? '' : end}${sections(end)}`;
}

function sections(end: string): string {
  return LEVELS.map((level) => `${exampleOf(level)}${end}${closingMarker(level, [])}${end}`).join(end);
}

/** A page that people read is smaller. */
const MAX_BYTES = 1024 * 1024;

/** Reads a document. @param file relative to the root. @returns why not, where it is none that we could write again. */
export function loadDocument(root: string, file: string): { text: string } | Problem {
  try {
    const loaded = readFile(root, file);
    return typeof loaded === 'string' ? unreadable(file, loaded) : loaded;
  } catch (error) {
    return unreadable(file, `${file} cannot be read: ${reasonOf(error)}`);
  }
}

/** @returns a description of the errors if it cannot be taken over unchanged. */
function readFile(root: string, file: string): { text: string } | string {
  const stat = statSync(join(root, file), { throwIfNoEntry: false });
  if (!stat?.isFile()) return `${file} is ${stat ? 'no file' : 'a link to something that is not there'}`;
  const path = realpathSync(join(root, file));
  if (!isInside(root, path)) return `${file} is a link that leads out of the project`;
  if (stat.size > MAX_BYTES) return `${file} is larger than ${MAX_BYTES / 1024} KiB`;
  const bytes = readFileSync(path);
  // A part that cannot be read exactly would be written back as something else.
  if (!isUtf8(bytes)) return `${file} is not in UTF-8`;
  return { text: bytes.toString('utf8') };
}

function unreadable(file: string, message: string): Problem {
  return { code: 'docs.invalid', message, location: { file } };
}
