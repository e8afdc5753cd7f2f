import { dirname } from 'node:path/posix';
import { fillTemplate } from '../fill-template.js';
import { linesOf, usualEnd } from './document-lines.js';
import { closingMarker, exampleOf } from './read-marker.js';
import { LEVELS } from './section-forms.js';

/**
 * A new document: how to find one's way, and empty tables. Source: R-000-18, R-000-04, R-000-15, R-000-16.
 *
 * @param file relative to the project root.
 */
export function newDocument(file: string): string {
  const folder = dirname(file);
  const values = { OF_FOLDER: folder === '.' ? '' : ` of ${folder}`, TABLES: sections('\n').trimEnd() };
  return fillTemplate('routing/ABILITY.md', values);
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
