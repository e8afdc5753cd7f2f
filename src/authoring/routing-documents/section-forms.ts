import type { Problem } from '../../contracts/problem.js';
import { didYouMean } from '../../text/nearest.js';

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
