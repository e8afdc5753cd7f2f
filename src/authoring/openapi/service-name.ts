import { memberOf, type Part, textOf } from './document-parts.js';

/** A name for the service of a document, of its title; undefined where the title gives none. */
export function serviceNameOf(document: Part): string | undefined {
  return nameOfTitle(textOf(memberOf(memberOf(document, 'info'), 'title')) ?? '');
}

/** A name made of a title. */
export function nameOfTitle(title: string): string | undefined {
  const name = title
    .toLowerCase()
    .replaceAll(/\b(open)?api\b|\bv\d[\d.]*\b|\brest\b/g, ' ')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+/, '')
    .slice(0, 30)
    .replace(/_+$/, '');
  return name === '' ? undefined : name;
}

/** A name made of where a document came from, for titles without Latin letters; undefined where that gives none either. */
export function nameOfPlace(from: string): string | undefined {
  const last = from.split(/[?#]/, 1)[0]?.split(/[\\/]/).filter(Boolean).at(-1) ?? '';
  return nameOfTitle(last.replace(/(\.(arazzo|openapi))?\.(ya?ml|json)$/i, ''));
}
