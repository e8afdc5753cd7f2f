import { createHash } from 'node:crypto';
import { isJsonObject } from '../../../contracts/json.js';
import { attempt } from '../../../text/attempt.js';

/** A map of a foreign document; its members are unchecked. */
export type Part = Readonly<Record<string, unknown>>;

export function isPart(value: unknown): value is Part {
  return isJsonObject(value);
}

/** The value if it is a map; otherwise an empty map. */
export function partOf(value: unknown): Part {
  return isPart(value) ? value : {};
}

/** An own member of a value, never one of its prototype; undefined if absent. */
export function memberOf(value: unknown, key: string): unknown {
  return isPart(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The value if it is a list; otherwise an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value if it is a non-empty string. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Thrown if an operation cannot become an ability; the import reports it with the operation's name. */
export class NotExpressible extends Error {
  override readonly name = 'NotExpressible';
}

/** As `unlessRefused`, for what no ability can express. @throws any other error. */
export function unlessInexpressible<T, Otherwise>(act: () => T, otherwise: (reason: NotExpressible) => Otherwise) {
  try {
    return act();
  } catch (error) {
    if (error instanceof NotExpressible) return otherwise(error);
    throw error;
  }
}

/** One line without control or hidden characters. @param max characters; longer text ends in `...`. */
export function cleanText(text: string, max: number): string {
  const plain = text
    .replaceAll(/[\s\u0085]+/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, '')
    .trim();
  if (plain.length <= max) return plain;
  // Does not split a surrogate pair.
  const cut = plain.slice(0, max - 3).replace(/[\uD800-\uDBFF]$/, '');
  return `${cut.trimEnd()}...`;
}

/** Maximum length of a chain of references; no valid document reaches it. */
const MAX_HOPS = 50;

/** Resolves a local reference. @throws NotExpressible if it points outside the document, or nowhere. */
export function resolvePointer(document: Part, reference: string): unknown {
  if (!reference.startsWith('#')) throw new NotExpressible(`it refers to ${short(reference)}, outside the document`);
  if (!reference.startsWith('#/')) throw dangling(reference);
  let at: unknown = document;
  for (const token of tokensOf(reference)) {
    at = Array.isArray(at) ? at[/^(0|[1-9]\d{0,8})$/.test(token) ? Number(token) : -1] : memberOf(at, token);
    if (at === undefined) throw dangling(reference);
  }
  return at;
}

export function nameInReference(reference: string): string {
  return tokensOf(reference).at(-1) ?? '';
}

/** Follows a chain of references. @throws NotExpressible as {@link resolvePointer}, and for a circle. */
export function follow(document: Part, value: unknown): unknown {
  let at = value;
  for (let hop = 0; hop < MAX_HOPS; hop += 1) {
    const reference = referenceIn(at);
    if (reference === undefined) return at;
    at = resolvePointer(document, reference);
  }
  throw new NotExpressible(`its reference ${short(referenceIn(value) ?? '')} leads in a circle`);
}

export function referenceIn(value: unknown): string | undefined {
  if (!isPart(value)) return undefined;
  const reference = memberOf(value, '$ref');
  return typeof reference === 'string' ? reference : undefined;
}

function tokensOf(reference: string): string[] {
  const tokens = reference.slice(2).split('/');
  const decoded = tokens.map((token) => attempt(() => decodeURIComponent(token), token));
  return decoded.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function dangling(reference: string): NotExpressible {
  return new NotExpressible(`it refers to ${short(reference)}, which is not there`);
}

function short(text: string): string {
  return text.length > 100 ? `${text.slice(0, 97)}...` : text;
}

/** Distinguishes names that would otherwise be equal: 8 hex digits. */
export function markOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
