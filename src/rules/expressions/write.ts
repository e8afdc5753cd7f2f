import type { Node } from './syntax/node.js';

/** Precedence of operators; other nodes never need parentheses. */
const STRENGTH: Record<string, number> = {
  '?:': 1,
  '||': 2,
  '&&': 3,
  ...{ '==': 4, '!=': 4, '<': 4, '<=': 4, '>': 4, '>=': 4, in: 4 },
  ...{ '+': 5, '-': 5 },
  ...{ '*': 6, '/': 6, '%': 6 },
  ...{ '!_': 7, '-_': 7 },
};
const WHOLE = 8;

/** Writes necessary parentheses, as in `a - (b - c)`, and only these, since each adds to the depth. */
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
      // A minus before a number would become part of it.
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

/** Operators of equal precedence are left-associative. */
function writeBinary(op: string, [left, right]: [Node, Node]): string {
  const own = STRENGTH[op] ?? WHOLE;
  return `${within(left, own)} ${op} ${within(right, own + 1)}`;
}

/** Adds parentheses if the node's precedence is lower than `least`. */
function within(node: Node, least: number): string {
  const text = writeExpression(node);
  return strengthOf(node) < least ? `(${text})` : text;
}

function isNumber({ op, args }: Node): boolean {
  return op === 'value' && (typeof args === 'bigint' || typeof args === 'number');
}

/** A negative number counts as a unary operator. */
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
  // An unsigned number is an object.
  return value !== null && typeof value === 'object' ? `${(value as { value: bigint }).value}u` : `${value}`;
}

/** Characters beyond U+FFFF stay: CEL cannot escape a single surrogate. */
function writeText(text: string): string {
  const escaped = text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
  return `"${escaped}"`;
}

function writeByte(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, '0')}`;
}
