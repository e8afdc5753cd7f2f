import { EXPRESSION_LIMITS, tooCostly } from '../language/cost.js';
import { isLoop, type Node, SyntaxFailure } from './node.js';
import { readTokens, type Token } from './tokens.js';

const RESERVED: ReadonlySet<string> = new Set([
  ...['as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop'],
  ...['package', 'namespace', 'return', 'var', 'void', 'while'],
]);

/** Binary operators by precedence, lowest first. All are left-associative. */
const ROWS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!=', '<', '<=', '>', '>=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
];

/**
 * Source: the grammar of CEL (google/cel-spec, doc/langdef.md), without messages, with `.?` and `[?` of optionals.
 * @throws SyntaxFailure if it is not CEL; AbilityError `expression.too_costly` if it is too deep or too large.
 */
export function parseCel(text: string): Node {
  return new Parser(readTokens(text)).whole();
}

class Parser {
  private at = 0;
  private depth = 0;
  private nodes = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  whole(): Node {
    const node = this.expression();
    if (this.token.kind !== 'end') throw this.unexpected();
    return node;
  }

  private get token(): Token {
    return this.tokens[this.at] as Token;
  }

  private take(kind: string): Token {
    const { token } = this;
    if (token.kind !== kind) throw this.unexpected(kind);
    this.at += 1;
    return token;
  }

  private skip(kind: string): boolean {
    if (this.token.kind !== kind) return false;
    this.at += 1;
    return true;
  }

  private unexpected(wanted?: string): SyntaxFailure {
    const { kind, value } = this.token;
    const found = kind === 'name' ? String(value) : kind;
    return new SyntaxFailure(`Unexpected ${found}${wanted === undefined ? '' : `, expected ${wanted}`}`, this.token);
  }

  private node(op: string, args: unknown): Node {
    this.nodes += 1;
    if (this.nodes > EXPRESSION_LIMITS.nodes) throw tooCostly(`has more than ${EXPRESSION_LIMITS.nodes} parts`);
    return { op, args };
  }

  private deeper<T>(read: () => T): T {
    this.depth += 1;
    if (this.depth > EXPRESSION_LIMITS.depth) throw tooCostly(`is nested deeper than ${EXPRESSION_LIMITS.depth}`);
    const result = read();
    this.depth -= 1;
    return result;
  }

  private expression(): Node {
    return this.deeper(() => {
      const condition = this.binary(0);
      if (!this.skip('?')) return condition;
      const whenTrue = this.expression();
      this.take(':');
      return this.node('?:', [condition, whenTrue, this.expression()]);
    });
  }

  private binary(row: number): Node {
    const operators = ROWS[row];
    if (!operators) return this.unary();
    let left = this.binary(row + 1);
    while (operators.includes(this.token.kind)) {
      const op = this.token.kind;
      this.at += 1;
      left = this.node(op, [left, this.binary(row + 1)]);
    }
    return left;
  }

  private unary(): Node {
    const { kind } = this.token;
    if (kind !== '!' && kind !== '-') return this.member(this.primary());
    this.at += 1;
    const { token } = this;
    if (kind === '-' && token.kind === 'literal' && isNumber(token.value) && !this.isFollowedByMember()) {
      this.at += 1;
      return this.node('value', -token.value);
    }
    return this.deeper(() => this.node(`${kind}_`, this.unary()));
  }

  private isFollowedByMember(): boolean {
    const next = this.tokens[this.at + 1]?.kind;
    return next === '.' || next === '[';
  }

  private member(target: Node): Node {
    const { depth } = this;
    let node = target;
    for (;;) {
      if (this.skip('.')) node = this.deeperMember(() => this.selection(node));
      else if (this.skip('[')) node = this.deeperMember(() => this.index(node));
      else break;
    }
    this.depth = depth;
    return node;
  }

  /** Each member adds to the depth until the chain ends. */
  private deeperMember(read: () => Node): Node {
    const node = this.deeper(read);
    this.depth += 1;
    return node;
  }

  private selection(target: Node): Node {
    const op = this.skip('?') ? '.?' : '.';
    const { token } = this;
    const { kind } = token;
    if (kind !== 'name' && kind !== 'quoted name') throw this.unexpected('a name');
    this.at += 1;
    const name = token.value as string;
    if (op === '.?' || kind !== 'name' || !this.skip('(')) return this.node(op, [target, name]);
    const args = this.list(')');
    const [variable] = args;
    if (isLoop(name, args) && (variable?.op !== 'id' || variable.isGlobal)) {
      throw new SyntaxFailure(`${name}() begins with the name of a variable`, token);
    }
    return this.node('rcall', [name, target, args]);
  }

  private index(target: Node): Node {
    const op = this.skip('?') ? '[?]' : '[]';
    const key = this.expression();
    this.take(']');
    return this.node(op, [target, key]);
  }

  private primary(): Node {
    const { token } = this;
    switch (token.kind) {
      case 'literal':
        this.at += 1;
        if (typeof token.value === 'bigint' && token.value === 2n ** 63n) {
          throw new SyntaxFailure(`Invalid number: ${token.value}`, token);
        }
        return this.node('value', token.value);
      case '(': {
        this.at += 1;
        const inner = this.expression();
        this.take(')');
        return inner;
      }
      case '[':
        this.at += 1;
        return this.node('list', this.list(']'));
      case '{':
        this.at += 1;
        return this.node('map', this.entries());
      case '.':
        this.at += 1;
        return { ...this.named(), isGlobal: true };
      case 'name':
        return this.named();
      default:
        throw this.unexpected();
    }
  }

  private named(): Node {
    const token = this.take('name');
    const name = token.value as string;
    if (RESERVED.has(name)) throw new SyntaxFailure(`${name} is a reserved word`, token);
    if (this.token.kind === '{') throw new SyntaxFailure(`${name}{} is a message, and there are none here`, token);
    if (!this.skip('(')) return this.node('id', name);
    const args = this.list(')');
    if (name === 'has' && args.length === 1 && args[0]?.op !== '.') {
      throw new SyntaxFailure('has() takes a member, such as has(input.note)', token);
    }
    return this.node('call', [name, args]);
  }

  private list(close: string): Node[] {
    const items: Node[] = [];
    while (!this.skip(close)) {
      items.push(this.expression());
      if (this.token.kind !== close) this.take(',');
    }
    return items;
  }

  private entries(): [Node, Node][] {
    const entries: [Node, Node][] = [];
    while (!this.skip('}')) {
      const key = this.expression();
      this.take(':');
      entries.push([key, this.expression()]);
      if (this.token.kind !== '}') this.take(',');
    }
    return entries;
  }
}

function isNumber(value: unknown): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}
