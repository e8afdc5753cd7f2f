import { isPart, listOf, memberOf, type Part, partOf } from '../openapi/document-parts.js';
import { NotTranslated } from './not-translated.js';

/**
 * A list with its reusable objects put in place.
 *
 * @param kind the member of `components` that they may be of.
 * @throws NotTranslated for a reference that leads nowhere.
 */
export function resolveReusable(document: Part, list: unknown, kind: string, place: string): Part[] {
  return listOf(list).map((item, index) => {
    const at = `${place}[${index}]`;
    if (!isPart(item)) throw new NotTranslated('it is no map', at);
    const reference = memberOf(item, 'reference');
    if (reference === undefined) return item;
    const name = String(reference).startsWith(`$components.${kind}.`)
      ? String(reference).slice(`$components.${kind}.`.length)
      : '';
    const found = memberOf(partOf(memberOf(memberOf(document, 'components'), kind)), name);
    if (!isPart(found)) throw new NotTranslated(`${String(reference)} is not in components.${kind}`, at);
    const value = memberOf(item, 'value');
    return value === undefined ? found : { ...found, value };
  });
}

/** Several lists as one, where a later entry takes the place of an earlier one that is called the same. */
export function joinBy(keyOf: (item: Part) => string, ...lists: Part[][]): Part[] {
  return [...new Map(lists.flat().map((item) => [keyOf(item), item])).values()];
}
