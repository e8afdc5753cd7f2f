import { RESERVED_NAMES } from '../../../contracts/names.js';
import { markOf, memberOf, type Part, textOf } from './follow-reference.js';
import type { FoundOperation } from './map-operation.js';

const MAX_CHARACTERS = 100;

/**
 * Gives each operation its key: the prefix and its `operationId` in lower case, or else method and path.
 * Keys do not depend on chosen or later operations: of equal keys, the later ones get a hash of their source.
 */
export function nameOperations(operations: readonly FoundOperation[], prefix: string): Map<FoundOperation, string> {
  const keys = new Map<FoundOperation, string>();
  const taken = new Set<string>();
  for (const operation of operations) {
    const { source, method, path, operationId } = operation;
    const own = slugOf(textOf(operationId) ?? '') || slugOf(`${method} ${path.replaceAll(/[{}+*]/g, ' ')}`) || method;
    const whole = `${prefix}.${own}`;
    const fits = whole.length <= MAX_CHARACTERS && !taken.has(whole) && !RESERVED_NAMES.has(whole);
    const key = fits ? whole : `${whole.slice(0, MAX_CHARACTERS - 9).replace(/[._-]+$/, '')}_${markOf(source)}`;
    taken.add(key);
    keys.set(operation, key);
  }
  return keys;
}

/** `repos/list-forOrg` as `repos.list-for_org`. */
function slugOf(text: string): string {
  return text
    .slice(0, 500)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll('/', '.')
    .replaceAll(/[^a-z0-9_.-]+/g, '_')
    .replaceAll(/_*\._*/g, '.')
    .replaceAll(/_{2,}/g, '_')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^[._-]+|[._-]+$/g, '');
}

/** Derives a service name from the document's title; undefined if that is not possible. */
export function serviceNameOf(document: Part): string | undefined {
  return nameOfTitle(textOf(memberOf(memberOf(document, 'info'), 'title')) ?? '');
}

/** Undefined if no characters remain. */
function nameOfTitle(title: string): string | undefined {
  const name = title
    .toLowerCase()
    .replaceAll(/\b(open)?api\b|\bv\d[\d.]*\b|\brest\b/g, ' ')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+/, '')
    .slice(0, 30)
    .replace(/_+$/, '');
  return name === '' ? undefined : name;
}

/** Derives a name from a path or address, for titles without Latin letters; undefined: none. */
export function nameOfPlace(from: string): string | undefined {
  const last = from.split(/[?#]/, 1)[0]?.split(/[\\/]/).filter(Boolean).at(-1) ?? '';
  return nameOfTitle(last.replace(/(\.openapi)?\.(ya?ml|json)$/i, ''));
}
