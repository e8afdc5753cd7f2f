import { attempt } from '../../../text/attempt.js';
import { isPart, memberOf, NotExpressible, type Part } from './document-parts.js';

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
  return tokens.map((token) => unescapedToken(decodedPart(token)));
}

function dangling(reference: string): NotExpressible {
  return new NotExpressible(`it refers to ${short(reference)}, which is not there`);
}

function short(text: string): string {
  return text.length > 100 ? `${text.slice(0, 97)}...` : text;
}

function unescapedToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Percent-decodes a part of an address; returns invalid text unchanged. */
function decodedPart(text: string): string {
  return attempt(() => decodeURIComponent(text), text);
}
