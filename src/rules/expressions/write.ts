import type { Node } from './syntax/node.js';

/** Precedence of operators; other nodes never need parentheses. */
const STRENGTH: Record<string, number> = {
  '?:': 1,
  '||': 2,
  '&&': 3,
  // To CEL these are of one strength, to the library of two: written so that both read the same.
  ...{ '==': 4, '!=': 4, '<': 4.5, '<=': 4.5, '>': 4.5, '>=': 4.5, in: 4.5 },
  ...{ '+': 5, '-': 5 },
  ...{ '*': 6, '/': 6, '%': 6 },
  ...{ '!_': 7, '-_': 7 },
};
const WHOLE = 8;

/**
 * Writes an expression as text that parses to the same expression.
 *
 * The library's own serializer leaves out parentheses that matter: it turns `a - (b - c)` into `a - b - c`. Parentheses
 * are written only where needed, since each adds to the depth.
 */
export function writeExpression({ op, args, isGlobal }: Node): string {
  switch (op) {
    case 'value':
      return writeLiteral(args);
    case 'id':
      return isGlobal ? `.${args}` : (args as string);
    case '.':
    case '.?': {
      const [target, name] = args as [Node, string];
      return `${within(target, WHOLE)}${op}${/^\w+$/.test(name) ? name : `\`${name}\``}`;
    }
    case '[]':
    case '[?]': {
      const [target, key] = args as [Node, Node];
      return `${within(target, WHOLE)}[${op === '[?]' ? '?' : ''}${writeExpression(key)}]`;
    }
    case 'call': {
      const [name, operands] = args as [string, Node[]];
      return `${name}(${listed(operands)})`;
    }
    case 'rcall': {
      const [name, target, operands] = args as [string, Node, Node[]];
      return `${within(target, WHOLE)}.${name}(${listed(operands)})`;
    }
    case 'list':
      return `[${listed(args as Node[])}]`;
    case 'map': {
      const entries = args as [Node, Node][];
      return `{${entries.map(([key, value]) => `${writeExpression(key)}: ${writeExpression(value)}`).join(', ')}}`;
    }
    case '!_':
    case '-_':
      // A minus sign before a number would be part of it.
      return isNumber(args as Node)
        ? `${op[0]}(${writeExpression(args as Node)})`
        : `${op[0]}${within(args as Node, WHOLE)}`;
    case '?:': {
      const [condition, whenTrue, whenFalse] = args as [Node, Node, Node];
      return `${within(condition, 2)} ? ${within(whenTrue, 2)} : ${within(whenFalse, 1)}`;
    }
    default:
      return writeBinary(op, args as [Node, Node]);
  }
}

/** Operators of one strength are read from the left. */
function writeBinary(op: string, [left, right]: [Node, Node]): string {
  const own = STRENGTH[op] ?? WHOLE;
  return `${within(left, own)} ${op} ${within(right, own + 1)}`;
}

/** In parentheses, unless it binds as tightly as it must. */
function within(node: Node, least: number): string {
  const text = writeExpression(node);
  return strengthOf(node) < least ? `(${text})` : text;
}

function isNumber({ op, args }: Node): boolean {
  return op === 'value' && (typeof args === 'bigint' || typeof args === 'number');
}

/** A number below zero begins with an operator. */
function strengthOf({ op, args }: Node): number {
  if (op !== 'value') return STRENGTH[op] ?? WHOLE;
  const isNegative = (typeof args === 'bigint' || typeof args === 'number') && args < 0;
  return isNegative ? 7 : WHOLE;
}

function listed(nodes: Node[]): string {
  return nodes.map(writeExpression).join(', ');
}

function writeLiteral(value: unknown): string {
  if (typeof value === 'string') return writeText(value);
  if (typeof value === 'number') return Number.isInteger(value) && !/e/.test(`${value}`) ? `${value}.0` : `${value}`;
  if (ArrayBuffer.isView(value)) return `b"${Array.from(value as Uint8Array, writeByte).join('')}"`;
  // An unsigned number is an object that holds its value, here as in the library.
  return value !== null && typeof value === 'object' ? `${(value as { value: bigint }).value}u` : `${value}`;
}

/** Letters beyond U+FFFF are written as they are: half of one has no escape. */
function writeText(text: string): string {
  const escaped = text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
  return `"${escaped}"`;
}

function writeByte(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, '0')}`;
}
