import { createHash } from 'node:crypto';
import type { LifecycleFields } from '../../contracts/lifecycle.js';

/** Control characters, line ends, direction marks and lone surrogates: a row is one visible line. */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Surrogate}]/gu;

/** Characters that would begin a code span, a tag, a comment, a link or an image, or escape the next one. */
const MARKUP = /[\\`<[]/g;

/** Escapes text for one line of a Markdown table cell; only paired backticks stay markup. */
export function cellOf(text: string): string {
  const line = text.replaceAll(UNSEEN, ' ').split(/\s+/).filter(Boolean).join(' ');
  const parts = line.split('`');
  const isPaired = parts.length % 2 === 1 && !line.includes('``');
  const shown = isPaired
    ? parts.map((part, index) => (index % 2 === 1 ? part : escapeMarkup(part))).join('`')
    : escapeMarkup(line);
  return escapePipes(shown);
}

/** A path or list of names as a cell, unchanged for lookups except what would end the cell. */
export function literalCell(text: string): string {
  return escapePipes(text.replaceAll(UNSEEN, ' ')).trim();
}

/** Reverts {@link literalCell}; people may have added a link or backticks. */
export function literalOf(cell: string): string {
  const text = (linkOf(cell)?.text ?? cell).replaceAll('\\|', '|');
  const isCode = text.length > 2 && text.startsWith('`') && text.endsWith('`');
  return isCode ? text.slice(1, -1).trim() : text;
}

/** The link of a cell that contains nothing else; undefined for any other cell. */
export function linkOf(cell: string): { text: string; target: string } | undefined {
  const [, text, target] = /^\[([^[\]]*)\]\(([^()\s]*)\)$/.exec(cell) ?? [];
  return text === undefined || target === undefined ? undefined : { text, target };
}

/** The lifecycle status shown before the text; empty for a stable ability. Source: R-002-01. */
export function lifecycleCell({ status, replaced_by }: LifecycleFields): string {
  if (status === undefined || status === 'stable') return '';
  return `**[${status}${replaced_by === undefined ? '' : `: use ${replaced_by}`}]** `;
}

/** Removes the prefix that {@link lifecycleCell} adds. */
export function withoutLifecycle(cell: string): string {
  return cell.replace(/^\*\*\[(?:deprecated|experimental)(?:: use [a-z0-9_.-]+)?\]\*\* ?/, '');
}

/** Distinguishes a generated scope from one that people edited: 8 hex digits. */
export function digestOfScope(id: string, cell: string): string {
  return digestOfWords(`${id}\0scope`, cell);
}

/** Distinguishes generated text from text that people edited: 8 hex digits. */
export function digestOfWords(id: string, cell: string): string {
  return createHash('sha256').update(`${id}\0${cell}`).digest('hex').slice(0, 8);
}

function escapeMarkup(text: string): string {
  return text.replaceAll(MARKUP, '\\$&');
}

function escapePipes(text: string): string {
  return text.replaceAll('|', '\\|');
}
