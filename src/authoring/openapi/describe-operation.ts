import type { JsonObject } from '../../contracts/json.js';
import { cleanText } from './clean-text.js';
import { listOf, memberOf, type Part, textOf } from './document-parts.js';

const MOST_CHARACTERS = 1000;
const MOST_KEYWORDS = 10;

/** What people and agents read of an operation: the fields of a definition that say it. */
export interface Description {
  summary: string;
  /** What the document says beyond the summary. */
  notes?: string;
  routing_hints?: JsonObject;
}

/**
 * Describes an operation in the words of its document.
 *
 * Tags become keywords to find it by; a `scope` would be a permission, which no document of others gives.
 */
export function describeOperation(operation: Part, source: string): Description {
  const description = clean(memberOf(operation, 'description'));
  const summary = clean(memberOf(operation, 'summary')) ?? description ?? source;
  const tags = listOf(memberOf(operation, 'tags')).flatMap((tag) => (textOf(tag) ? [cleanText(String(tag), 60)] : []));
  const keywords = [...new Set(tags.filter((tag) => tag !== ''))].slice(0, MOST_KEYWORDS);
  return {
    summary,
    ...(description !== undefined && description !== summary && { notes: description }),
    ...(keywords.length > 0 && { routing_hints: { keywords } }),
  };
}

function clean(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : cleanText(text, MOST_CHARACTERS) || undefined;
}
