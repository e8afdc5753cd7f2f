import { didYouMean } from '../../text/nearest.js';
import type { Mistake } from './mistake.js';
import { type Alternative, describeType, isAny, listNames, type Type } from './type.js';

const NUMBERS: readonly Alternative['kind'][] = ['int', 'double', 'uint'];

/** What is wrong with comparing two things that can never be equal; whoever asks for null is only careful. */
export function neverEqual(left: Type, right: Type, [one, other]: [string, string]): Mistake | undefined {
  if (isAny(left) || isAny(right) || isNull(left) || isNull(right)) return undefined;
  if (left.some((a) => right.some((b) => canBeEqual(a, b)))) return undefined;
  const [texts, wanted] = [textsOf(left), textsOf(right)];
  const [known, asked, of] =
    (texts?.length ?? 0) >= (wanted?.length ?? 0) ? [texts, wanted, one] : [wanted, texts, other];
  if (known && asked) {
    const message = `\`${of}\` is one of ${listNames(known)}, never ${listNames(asked)}`;
    return { code: 'lint.never_equal', message, fix: didYouMean(asked[0] ?? '', known) };
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

/** The texts that a type is limited to, besides null. */
function textsOf(type: Type): readonly string[] | undefined {
  const rest = type.filter(({ kind }) => kind !== 'null');
  const [only] = rest;
  return rest.length === 1 && only?.kind === 'string' ? only.texts : undefined;
}
