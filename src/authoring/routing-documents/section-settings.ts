import { matchesGlob } from '../../text/glob.js';
import { modulePath } from '../../text/module-path.js';
import { literalOf } from './cell-text.js';
import type { Fault } from './section-forms.js';

/** The author's settings for one table of a document. */
export interface SectionSettings {
  /** Modules that the table is about. */
  modules: string[];
  /** `auto`: what the modules have gets a row; `chosen`: only what has one already. */
  rows: 'auto' | 'chosen';
  /** Ids, with `*`, that get none. */
  omit: string[];
  /** `own`: the heading is above the marker, in the words of the author. */
  heading: 'usual' | 'own';
}

/** Reads the attributes of an opening marker. @param folder of the document, relative to the project root. */
export function readSettings(attributes: ReadonlyMap<string, string>, folder: string): SectionSettings | Fault {
  const rows = attributes.get('rows') ?? 'auto';
  if (rows !== 'auto' && rows !== 'chosen') {
    return { message: `\`rows\` is auto or chosen, not ${rows}` };
  }
  const heading = attributes.get('heading') ?? 'usual';
  if (heading !== 'usual' && heading !== 'own') {
    return { message: `\`heading\` is usual or own, not ${heading}` };
  }
  const modules = listOf(attributes.get('modules'));
  const omit = listOf(attributes.get('omit'));
  if (modules?.length === 0) {
    return {
      message: '`modules` names none',
      suggestion: 'Name some, or leave it out: then it is that of the folder.',
    };
  }
  if (rows === 'chosen' && omit) {
    const suggestion = 'Delete the rows that should not be there, and `omit`.';
    return { message: 'With rows="chosen" nothing is added, so there is nothing to omit', suggestion };
  }
  return { modules: modules ?? domainOfFolder(folder), rows, omit: omit ?? [], heading };
}

/** Whether settings were read, and not a fault. */
export function isSettings(read: SectionSettings | Fault): read is SectionSettings {
  return 'rows' in read;
}

function listOf(text: string | undefined): string[] | undefined {
  return text?.split(/[\s,]+/).filter(Boolean);
}

/** All there is, also abilities that name no module. */
const EVERYTHING = '*';

/**
 * Whether a document that covers some modules covers an ability of these.
 *
 * A module covers what is below it: `users` also `users.api` and `users/db`; dots and slashes are the same here, and a leading `modules/`
 * does not count. `*` matches any run of characters. An ability that names no module is valid everywhere and special to nothing: only `*`
 * covers it.
 */
export function covers(patterns: readonly string[], modules: readonly string[]): boolean {
  if (patterns.includes(EVERYTHING)) return true;
  const paths = patterns.map(modulePath);
  return modules.some((module) => {
    const name = modulePath(module);
    return paths.some((path) => matchesGlob(path, name) || matchesGlob(`${path}/*`, name));
  });
}

/** The default coverage of a document: the module its folder is, or everything at the root of the project. */
export function domainOfFolder(folder: string): string[] {
  return [folder === '' ? EVERYTHING : folder];
}

/** The Scope cell of an ability that is valid everywhere. */
const ANYWHERE = ['any', '*', ''];

/**
 * Whether a Scope cell names the very modules of a definition.
 *
 * Commas separate them; order, backticks, dots for slashes and a leading `modules/` make no difference. Source: C-43.
 */
export function isSameScope(cell: string, modules: readonly string[]): boolean {
  const named = cell.split(/[,;、，]/).map((part) => literalOf(part.trim()));
  const said = named.every((name) => ANYWHERE.includes(name.toLowerCase())) ? [] : named;
  return namesOf(said) === namesOf(modules);
}

function namesOf(modules: readonly string[]): string {
  return [...new Set(modules.map(modulePath))].sort().join('\n');
}
