import type { Problem } from '../../contracts/problem.js';
import { matchesGlob } from '../../text/glob.js';
import { modulePath } from '../../text/module-path.js';
import { didYouMean } from '../../text/nearest.js';
import { literalOf } from './cell-text.js';

/** The two tables of a routing document, the preferred one first. Source: R-000-06. */
export const LEVELS = ['high-level', 'low-level'] as const;

/** One of {@link LEVELS}. */
export type Level = (typeof LEVELS)[number];

/** The exact heading and columns of each level. Source: R-000-07, R-000-12. */
export const FORMS: Record<Level, { heading: string; columns: readonly string[] }> = {
  'high-level': {
    heading: '## High-level abilities',
    columns: ['Id', 'Type', 'Scope', 'When to use', 'Registry path'],
  },
  'low-level': {
    heading: '## Low-level abilities (atomic operations)',
    columns: ['Operation key', 'Kind', 'Scope', 'Summary', 'Registry path'],
  },
};

export const COLUMN = { id: 0, kind: 1, scope: 2, words: 3, path: 4 } as const;

/**
 * A marker: `<!-- ability:high-level modules="users" -->` opens a section, `<!-- /ability:high-level -->` closes it.
 */
export interface Marker {
  level: Level;
  isClosing: boolean;
  attributes: Map<string, string>;
}

/** An error without its location, which only the reader of the lines knows. */
export type Fault = Pick<Problem, 'message' | 'suggestion'>;

const ATTRIBUTES = { opening: ['modules', 'rows', 'omit', 'heading'], closing: ['written'] } as const;

const OPENS = '<!--';
const CLOSES = '-->';

/** Parses a marker; undefined for any other line, including indented code. */
export function readMarker(line: string): Marker | Fault | undefined {
  const text = line.replace(/^\ufeff/, '');
  const trimmed = text.trim();
  if (!trimmed.startsWith(OPENS) || text.startsWith('    ') || text.startsWith('\t')) return undefined;
  const inner = trimmed.slice(OPENS.length).trimStart();
  if (!inner.startsWith('ability:') && !inner.startsWith('/ability:')) return undefined;
  if (isOwnMarker(line)) return undefined;
  if (inner.indexOf(CLOSES) !== inner.length - CLOSES.length) {
    return { message: 'A marker must be alone on its line', suggestion: `Such as ${exampleOf('high-level')}` };
  }
  const isClosing = inner.startsWith('/');
  const [name = '', ...rest] = splitOnce(inner.slice(0, -CLOSES.length).replace(/^\/?ability:/, ''));
  const level = LEVELS.find((known) => known === name);
  if (level === undefined) {
    const message = `There is no section \`${name}\` in a routing document`;
    return { message, suggestion: didYouMean(name, LEVELS) ?? `The sections are ${LEVELS.join(' and ')}.` };
  }
  const attributes = readAttributes(rest.join(''), isClosing ? ATTRIBUTES.closing : ATTRIBUTES.opening);
  return attributes instanceof Map ? { level, isClosing, attributes } : attributes;
}

export function closingMarker(level: Level, written: readonly string[]): string {
  return `<!-- /ability:${level}${written.length > 0 ? ` written="${written.join(' ')}"` : ''} -->`;
}

export function openingMarker(level: Level, options: { hasHeading: boolean; isChosen: boolean }): string {
  const rows = options.isChosen ? ' rows="chosen"' : '';
  const heading = options.hasHeading ? '' : ' heading="own"';
  return `<!-- ability:${level}${rows}${heading} -->`;
}

/** Whether a line is `<!-- ability:own -->`, which excludes the page from updates. */
export function isOwnMarker(line: string): boolean {
  return /^\ufeff? {0,3}<!--\s*ability:own\s*-->\s*$/.test(line);
}

/** The opening marker without attributes: the section covers the module of its folder. */
export function exampleOf(level: Level): string {
  return `<!-- ability:${level} -->`;
}

function splitOnce(text: string): string[] {
  const at = text.search(/\s/);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at).trim()];
}

function readAttributes(text: string, known: readonly string[]): Map<string, string> | Fault {
  const attributes = new Map<string, string>();
  let at = 0;
  while (at < text.length) {
    const one = /\s*([A-Za-z_-]+)="([^"]*)"(?=\s|$)/y;
    one.lastIndex = at;
    const [whole, name = '', value = ''] = one.exec(text) ?? [];
    if (whole === undefined) {
      const suggestion = 'Write each attribute of a marker as name="value".';
      return { message: `The marker contains something that cannot be read: ${text.slice(at).trim()}`, suggestion };
    }
    if (!known.includes(name)) {
      const suggestion = didYouMean(name, known) ?? `It may have ${known.join(', ')}.`;
      return { message: `A marker of this kind has no attribute \`${name}\``, suggestion };
    }
    if (attributes.has(name)) return { message: `The marker has the attribute \`${name}\` twice` };
    attributes.set(name, value);
    at += whole.length;
  }
  return attributes;
}

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
