import { createHash } from 'node:crypto';
import type { Standing } from '../../contracts/lifecycle.js';

/** Control characters, line ends, marks of writing direction and halves of characters: a row has one line, all seen. */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Surrogate}]/gu;

/** Characters that would begin a code span, a tag, a comment, a link or an image, or escape the next one. */
const MARKUP = /[\\`<[]/g;

/**
 * Text of a definition as the Markdown of a table's cell, which shows these very words on one line.
 *
 * Code in backticks stays code where they come in pairs; nothing else in the text is markup.
 */
export function cellOf(text: string): string {
  const line = text.replaceAll(UNSEEN, ' ').split(/\s+/).filter(Boolean).join(' ');
  const parts = line.split('`');
  const isPaired = parts.length % 2 === 1 && !line.includes('``');
  const shown = isPaired
    ? parts.map((part, index) => (index % 2 === 1 ? part : escapeMarkup(part))).join('`')
    : escapeMarkup(line);
  return escapePipes(shown);
}

/** A path or a list of names as a cell: to the letter, since it is looked up, but for what would end the cell. */
export function literalCell(text: string): string {
  return escapePipes(text.replaceAll(UNSEEN, ' ')).trim();
}

/** The argument of {@link literalCell}; people may have made it a link, and put it in backticks. */
export function literalOf(cell: string): string {
  const text = (linkOf(cell)?.text ?? cell).replaceAll('\\|', '|');
  const isCode = text.length > 2 && text.startsWith('`') && text.endsWith('`');
  return isCode ? text.slice(1, -1).trim() : text;
}

/** The link that a cell is, and nothing beside it; undefined for any other cell. */
export function linkOf(cell: string): { text: string; target: string } | undefined {
  const [, text, target] = /^\[([^[\]]*)\]\(([^()\s]*)\)$/.exec(cell) ?? [];
  return text === undefined || target === undefined ? undefined : { text, target };
}

/** The lifecycle status of an ability, as it is shown before its words; nothing for one that is stable. Source: R-002-01. */
export function standingCell({ status, replaced_by }: Standing): string {
  if (status === undefined || status === 'stable') return '';
  return `**[${status}${replaced_by === undefined ? '' : `: use ${replaced_by}`}]** `;
}

/** Words without what {@link standingCell} put before them. */
export function withoutStanding(cell: string): string {
  return cell.replace(/^\*\*\[(?:deprecated|experimental)(?:: use [a-z0-9_.-]+)?\]\*\* ?/, '');
}

/** Distinguishes the scope that a definition gave to a row from one that people wrote there: 8 hex digits. */
export function digestOfScope(id: string, cell: string): string {
  return digestOfWords(`${id}\0scope`, cell);
}

/** Distinguishes the words a definition gave to a row from those people wrote there: 8 hex digits. */
export function digestOfWords(id: string, cell: string): string {
  return createHash('sha256').update(`${id}\0${cell}`).digest('hex').slice(0, 8);
}

function escapeMarkup(text: string): string {
  return text.replaceAll(MARKUP, '\\$&');
}

function escapePipes(text: string): string {
  return text.replaceAll('|', '\\|');
}
