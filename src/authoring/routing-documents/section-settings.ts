import { matchesGlob } from '../../text/glob.js';
import { modulePath } from '../../text/module-path.js';
import { literalOf } from './cell-text.js';
import type { Fault } from './section-forms.js';

export interface SectionSettings {
  modules: string[];
  /** `auto`: every ability of the modules gets a row; `chosen`: no rows are added. */
  rows: 'auto' | 'chosen';
  /** Patterns (`*`) of ids that get no row. */
  omit: string[];
  /** `own`: the author's own heading is above the marker. */
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
      message: '`modules` is empty',
      suggestion: 'Name at least one, or leave it out to use the module of the folder.',
    };
  }
  if (rows === 'chosen' && omit) {
    const suggestion = 'Delete the rows that should not be there, and `omit`.';
    return { message: 'With rows="chosen" nothing is added, so there is nothing to omit', suggestion };
  }
  return { modules: modules ?? domainOfFolder(folder), rows, omit: omit ?? [], heading };
}

function listOf(text: string | undefined): string[] | undefined {
  return text?.split(/[\s,]+/).filter(Boolean);
}

const EVERYTHING = '*';

/**
 * Whether a document of some modules covers an ability of these modules. `users` also covers `users.api` and
 * `users/db`; dots and slashes are equal, a leading `modules/` is ignored, and `*` matches any characters. Only
 * `*` covers an ability without modules.
 */
export function covers(patterns: readonly string[], modules: readonly string[]): boolean {
  if (patterns.includes(EVERYTHING)) return true;
  const paths = patterns.map(modulePath);
  return modules.some((module) => {
    const name = modulePath(module);
    return paths.some((path) => matchesGlob(path, name) || matchesGlob(`${path}/*`, name));
  });
}

/** The modules that a document covers by default: that of its folder; at the project root, all. */
export function domainOfFolder(folder: string): string[] {
  return [folder === '' ? EVERYTHING : folder];
}

const ANYWHERE = ['any', '*', ''];

/** Commas separate names; ignores order, backticks, `.` for `/`, and a leading `modules/`. Source: C-43. */
export function isSameScope(cell: string, modules: readonly string[]): boolean {
  const named = cell.split(/[,;、，]/).map((part) => literalOf(part.trim()));
  const said = named.every((name) => ANYWHERE.includes(name.toLowerCase())) ? [] : named;
  return namesOf(said) === namesOf(modules);
}

function namesOf(modules: readonly string[]): string {
  return [...new Set(modules.map(modulePath))].sort().join('\n');
}
