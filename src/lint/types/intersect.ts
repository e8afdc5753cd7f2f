import { type Alternative, ANY, type Field, isAny, type MapType, MOST_ALTERNATIVES, type Type } from './type.js';

/** What is of both types. Where nothing is, the schemas contradict each other, and nothing is claimed. */
export function intersect(one: Type, other: Type): Type {
  if (isAny(one)) return other;
  if (isAny(other)) return one;
  const both = one.flatMap((a) => other.flatMap((b) => intersectOne(a, b)));
  return both.length === 0 || both.length > MOST_ALTERNATIVES ? ANY : both;
}

function intersectOne(a: Alternative, b: Alternative): Alternative[] {
  if (a.kind === 'map' && b.kind === 'map') return [intersectMaps(a, b)];
  if (a.kind === 'list' && b.kind === 'list') return [{ kind: 'list', item: () => intersect(a.item(), b.item()) }];
  if (a.kind === 'string' && b.kind === 'string') {
    if (!a.texts || !b.texts) return [a.texts ? a : b];
    const { texts } = b;
    return [{ kind: 'string', texts: a.texts.filter((text) => texts.includes(text)) }];
  }
  return a.kind === b.kind ? [a] : [];
}

function intersectMaps(a: MapType, b: MapType): MapType {
  const fields = new Map<string, Field>();
  for (const name of new Set([...a.fields.keys(), ...b.fields.keys()])) {
    const [one, other] = [a.fields.get(name), b.fields.get(name)];
    // A name that the other one forbids can only be missing, or the two contradict each other.
    if ((!one && a.others === 'none') || (!other && b.others === 'none')) continue;
    fields.set(name, {
      type: () => intersect(one?.type() ?? ANY, other?.type() ?? ANY),
      isOptional: (one?.isOptional ?? true) && (other?.isOptional ?? true),
      isFilled: one?.isFilled === true || other?.isFilled === true,
    });
  }
  return { kind: 'map', fields, others: intersectOthers(a, b), isPromise: a.isPromise || b.isPromise };
}

/** Listing names in one part and none in another is still listing them. */
function intersectOthers({ others: a, fields: own }: MapType, { others: b, fields }: MapType): MapType['others'] {
  if (a === 'none' || b === 'none') return 'none';
  if (a === 'unlisted') return fields.size > 0 || b === 'unlisted' ? 'unlisted' : a;
  if (b === 'unlisted') return own.size > 0 ? 'unlisted' : b;
  return () => intersect(a(), b());
}
