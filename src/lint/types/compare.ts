import { didYouMean } from '../../text/nearest.js';
import {
  type Alternative,
  ANY,
  type Diagnostic,
  describeType,
  isAny,
  listNames,
  type MapType,
  mayBe,
  type Type,
} from './type.js';

const NUMBERS: readonly Alternative['kind'][] = ['int', 'double', 'uint'];

/** Reports a comparison of types that are never equal; a comparison with null is always allowed. */
export function neverEqual(left: Type, right: Type, [one, other]: [string, string]): Diagnostic | undefined {
  if (isAny(left) || isAny(right) || isNull(left) || isNull(right)) return undefined;
  if (left.some((a) => right.some((b) => canBeEqual(a, b)))) return undefined;
  const [texts, wanted] = [textsOf(left), textsOf(right)];
  const [known, sought, of] =
    (texts?.length ?? 0) >= (wanted?.length ?? 0) ? [texts, wanted, one] : [wanted, texts, other];
  if (known && sought) {
    const message = `\`${of}\` is one of ${listNames(known)}, never ${listNames(sought)}`;
    return { code: 'lint.never_equal', message, fix: didYouMean(sought[0] ?? '', known) };
  }
  const message = `\`${one}\` is ${describeType(left)}, \`${other}\` ${describeType(right)}: they are never equal`;
  return { code: 'lint.never_equal', message };
}

function isNull(type: Type): boolean {
  return type.every(({ kind }) => kind === 'null');
}

function canBeEqual(a: Alternative, b: Alternative): boolean {
  if (a.kind === 'optional' || b.kind === 'optional') return true;
  if (a.kind === 'string' && b.kind === 'string') {
    const { texts } = b;
    return !a.texts || !texts || a.texts.some((text) => texts.includes(text));
  }
  if (a.kind === 'null' || b.kind === 'null') return a.kind === b.kind;
  return a.kind === b.kind || (NUMBERS.includes(a.kind) && NUMBERS.includes(b.kind));
}

/** The values that a string type is limited to, ignoring null. */
function textsOf(type: Type): readonly string[] | undefined {
  const rest = type.filter(({ kind }) => kind !== 'null');
  const [only] = rest;
  return rest.length === 1 && only?.kind === 'string' ? only.texts : undefined;
}

/** Deeper levels and recursive schemas are not compared; validation checks them at run time. */
const DEEPEST = 8;
const MAX_COMPARED = 3000;

interface Extent {
  depth: number;
  count: { left: number };
}

/** Whether a value of the given type may be one of the wanted type; true if that is uncertain. */
export function canBe(
  given: Type,
  wanted: Type,
  extent: Extent = { depth: 0, count: { left: MAX_COMPARED } },
): boolean {
  extent.count.left -= 1;
  if (isAny(given) || isAny(wanted) || extent.depth > DEEPEST || extent.count.left < 0) return true;
  return given.some((one) => wanted.some((other) => canBeOne(one, other, extent)));
}

function canBeOne(given: Alternative, wanted: Alternative, extent: Extent): boolean {
  // A whole double becomes an integer in JSON.
  if (given.kind === 'double') return wanted.kind === 'double' || wanted.kind === 'int';
  if (given.kind === 'string' && wanted.kind === 'string') {
    const { texts } = wanted;
    return !given.texts || !texts || given.texts.some((text) => texts.includes(text));
  }
  if (given.kind === 'map' && wanted.kind === 'map') return canBeMap(given, wanted, extent);
  return given.kind === wanted.kind || (given.kind === 'int' && wanted.kind === 'double');
}

function canBeMap(given: MapType, wanted: MapType, extent: Extent): boolean {
  const inside = { ...extent, depth: extent.depth + 1 };
  for (const [name, field] of wanted.fields) {
    const own = given.fields.get(name);
    if (!own && given.others === 'none' && !field.isOptional && !field.isFilled) return false;
    if (own && !own.isOptional && !canBe(own.type(), field.type(), inside)) return false;
  }
  if (wanted.others !== 'none') return true;
  return [...given.fields].every(([name, { isOptional }]) => isOptional || wanted.fields.has(name));
}

/** {@link ANY} if `wanted` may be anything other than one map. */
export function wantedOf(wanted: Type, name: string): Type {
  const maps = wanted.filter((one) => one.kind === 'map');
  const [only] = maps;
  if (isAny(wanted) || maps.length !== 1 || !only) return ANY;
  const field = only.fields.get(name);
  if (field) return field.type();
  return typeof only.others === 'function' ? only.others() : ANY;
}

/** {@link ANY} if `wanted` may be anything other than one list. */
export function wantedItem(wanted: Type): Type {
  const lists = wanted.filter((one) => one.kind === 'list');
  const [only] = lists;
  return lists.length === 1 && only && !isAny(wanted) ? only.item() : ANY;
}

/** Whether writing `string(..)` around a value makes it fit. */
export function fitsAsText(given: Type, wanted: Type): boolean {
  return (
    mayBe(wanted, 'string') && !isAny(given) && given.every(({ kind }) => ['int', 'double', 'bool'].includes(kind))
  );
}
