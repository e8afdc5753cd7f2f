import { listOf, memberOf, type Part } from './document-parts.js';
import { follow, referenceIn } from './follow-reference.js';

/** What a value can be, as far as the way it is written into a request depends on it. */
export interface ValueKinds {
  list: boolean;
  map: boolean;
}

/** Branches looked at; a value with more of them is as varied as it gets. */
const MOST_VISITS = 200;

/** Whether values of a schema may be lists or maps; a schema that says nothing is taken for one of plain values. */
export function kindsOf(schema: unknown, document: Part): ValueKinds {
  const kinds = { list: false, map: false };
  const open = [schema];
  for (let visit = 0; visit < MOST_VISITS && open.length > 0; visit += 1) {
    const next = open.pop();
    const target = referenceIn(next) === undefined ? next : follow(document, next);
    const types = [memberOf(target, 'type')].flat();
    const says = (type: string, ...keywords: string[]): boolean =>
      types.includes(type) ||
      (types[0] === undefined && keywords.some((keyword) => memberOf(target, keyword) !== undefined));
    kinds.list ||= says('array', 'items', 'prefixItems');
    kinds.map ||= says('object', 'properties', 'additionalProperties');
    for (const keyword of ['allOf', 'anyOf', 'oneOf'])
      open.push(...listOf(memberOf(target, keyword)).slice(0, MOST_VISITS));
  }
  return kinds;
}
