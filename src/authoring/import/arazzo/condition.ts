import { literal, textLiteral } from './write-cel.js';

export interface ConditionReader {
  /** CEL of a runtime expression, null where it is absent; `kind` if known. */
  read(expression: string): { cel: string; kind: 'number' | 'text' | 'any' };
  refuse(what: string): never;
}

type Kind = 'number' | 'text' | 'boolean' | 'null' | 'any';

interface Operand {
  cel: string;
  kind: Kind;
  /** Needs brackets inside a larger expression. */
  isCompound?: boolean;
  isLiteral?: boolean;
  text?: string;
}

const TOKEN =
  /\s*(?:(?<op>&&|\|\||==|!=|<=|>=|<|>|!|\(|\))|(?<text>'(?:[^']|'')*')|(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<word>true|false|null)\b|(?<expression>\$[^\s()!=<>&|']+))/y;

/**
 * A simple condition as CEL. As specified, texts compare without regard to case, and numbers in texts compare with
 * numbers. Source: Arazzo Specification 1.0.1 and 1.1.0, "Criterion Object".
 */
export function translateCondition(condition: string, reader: ConditionReader): string {
  const tokens = tokensOf(condition, reader);
  let at = 0;
  const next = (): Token | undefined => tokens[at];
  const take = (op: string): boolean => {
    if (next()?.op !== op) return false;
    at += 1;
    return true;
  };

  const either = (): Operand => joined(both, '||');
  const both = (): Operand => joined(comparison, '&&');

  function joined(inner: () => Operand, op: string): Operand {
    const parts = [inner()];
    while (take(op)) parts.push(inner());
    const [only] = parts;
    if (parts.length === 1 && only) return only;
    return {
      cel: parts.map((part) => bracketed(asCondition(part))).join(` ${op} `),
      kind: 'boolean',
      isCompound: true,
    };
  }

  function comparison(): Operand {
    const left = unary();
    for (const op of ['==', '!=', '<=', '>=', '<', '>']) {
      if (take(op)) return compared(left, op, unary(), reader);
    }
    return left;
  }

  function unary(): Operand {
    if (take('!')) return { cel: `!${bracketed(asCondition(unary()), true)}`, kind: 'boolean' };
    if (take('(')) {
      const inner = either();
      if (!take(')')) reader.refuse('it has no closing bracket');
      return inner;
    }
    const token = next();
    at += 1;
    return token === undefined || token.op !== undefined
      ? reader.refuse('a value is missing')
      : operandOf(token, reader);
  }

  const whole = either();
  if (at < tokens.length) reader.refuse('it continues after its end');
  return asCondition(whole).cel;
}

/** A value on its own is a condition that holds if the value is true. */
function asCondition(operand: Operand): Operand {
  return operand.kind === 'boolean' ? operand : { cel: `${operand.cel} == true`, kind: 'boolean', isCompound: true };
}

function bracketed({ cel, isCompound }: Operand, always = false): string {
  return isCompound || (always && !/^[\w.]+$/.test(cel)) ? `(${cel})` : cel;
}

function compared(left: Operand, op: string, right: Operand, reader: ConditionReader): Operand {
  const [one, other] = [foldable(left, right, reader), foldable(right, left, reader)];
  const cel = op === '==' || op === '!=' ? `${one} ${op} ${other}` : ordered(left, op, right, reader);
  return { cel, kind: 'boolean', isCompound: true };
}

/** One side of a comparison, ignoring case; next to a number, a text is compared as a number. */
function foldable(own: Operand, other: Operand, reader: ConditionReader): string {
  if (own.isLiteral) {
    if (own.text === undefined) return own.cel;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: all that is not ASCII.
    if (/[^\x00-\x7f]/.test(own.text))
      reader.refuse('it compares letters beyond ASCII, whose case cannot be left out of account');
    return textLiteral(own.text.toLowerCase());
  }
  if (other.isLiteral && other.text === undefined) return other.kind === 'number' ? asNumber(own) : bracketed(own);
  if (own.kind === 'number' || own.kind === 'boolean') return bracketed(own);
  if (own.kind === 'text' && other.isLiteral) return `${own.cel}.lowerAscii()`;
  return `(type(${own.cel}) == string ? ${own.cel}.lowerAscii() : ${own.cel})`;
}

function asNumber(own: Operand): string {
  if (own.kind === 'number') return own.cel;
  if (own.kind === 'boolean') return bracketed(own);
  return `(type(${own.cel}) == string ? double(${own.cel}) : ${own.cel})`;
}

/** Null is neither less nor greater than any value. */
function ordered(left: Operand, op: string, right: Operand, reader: ConditionReader): string {
  const sides = [left, right];
  if (sides.some(({ kind }) => kind === 'boolean' || kind === 'null'))
    reader.refuse(`\`${op}\` orders numbers and texts`);
  const isText = sides.some(({ isLiteral, text }) => isLiteral && text !== undefined);
  const [one, other] = isText
    ? [foldable(left, right, reader), foldable(right, left, reader)]
    : [asNumber(left), asNumber(right)];
  const guards = sides.filter(({ isLiteral, kind }) => !isLiteral && kind === 'any').map(({ cel }) => `${cel} != null`);
  return [...guards, `${one} ${op} ${other}`].join(' && ');
}

interface Token {
  op?: string;
  text?: string;
  number?: string;
  word?: string;
  expression?: string;
}

function tokensOf(condition: string, reader: ConditionReader): Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  const text = condition.trimEnd();
  while (pattern.lastIndex < text.length) {
    const from = pattern.lastIndex;
    const match = pattern.exec(text);
    if (!match?.groups)
      return reader.refuse(`${JSON.stringify(text.slice(from).trim().slice(0, 40))} is not understood`);
    tokens.push(Object.fromEntries(Object.entries(match.groups).filter(([, value]) => value !== undefined)));
  }
  return tokens;
}

function operandOf({ text, number, word, expression }: Token, reader: ConditionReader): Operand {
  if (text !== undefined) {
    const value = text.slice(1, -1).replaceAll("''", "'");
    return { cel: textLiteral(value), kind: 'text', isLiteral: true, text: value };
  }
  if (number !== undefined) return { cel: literal(Number(number)), kind: 'number', isLiteral: true };
  if (word !== undefined) return { cel: word, kind: word === 'null' ? 'null' : 'boolean', isLiteral: true };
  return reader.read(expression ?? '');
}
