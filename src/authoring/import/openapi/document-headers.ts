import { type AbilityError, usageError } from '../../../contracts/problem.js';

export interface DocumentHeader {
  name: string;
  value: string;
}

const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** A reference at the end of a value, after any words, as in `Bearer env:TOKEN`. */
const REFERENCE = /(^|\s)(env:[A-Za-z_][A-Za-z0-9_]*|file:\S+)$/;

const SECRET = /authorization|cookie|token|secret|password|api-?key|credential|session|^x-.*key$/i;

/** Names reserved for the connection and for content negotiation. */
const TAKEN: ReadonlySet<string> = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'accept']);

/**
 * Reads `Authorization: Bearer env:DOCS_TOKEN` and the like. A credential must be a reference: command lines are
 * visible to others and kept in histories. @param resolve throws AbilityError for a reference without a value.
 * @throws AbilityError `usage.invalid`, which repeats no value.
 */
export function readDocumentHeader(text: string, resolve: (reference: string) => string): DocumentHeader {
  const at = text.indexOf(':');
  const name = text.slice(0, Math.max(0, at)).trim();
  const written = text.slice(at + 1).trim();
  if (!NAME.test(name) || written === '') throw invalid('is such as `Authorization: Bearer env:DOCS_TOKEN`');
  if (TAKEN.has(name.toLowerCase())) throw invalid(`${name} cannot be chosen`);
  const reference = REFERENCE.exec(written)?.[2];
  if (reference === undefined && SECRET.test(name)) {
    throw invalid(`${name} takes its value from env:NAME or file:PATH, so that no secret is on the command line`);
  }
  const value =
    reference === undefined ? written : `${written.slice(0, written.length - reference.length)}${resolve(reference)}`;
  if (/[^\x20-\x7e\x80-\xff\t]/.test(value)) throw invalid(`${name} has a value that no header can have`);
  return { name, value };
}

function invalid(what: string): AbilityError {
  return usageError(`--header: ${what}`);
}
