import { literal, textLiteral } from './write-cel.js';

/** Throws for a part of a path that cannot be translated. */
export type Refuse = (what: string) => never;

type Segment = { name: string } | { index: number } | 'all' | { filter: (node: string) => string };

/**
 * Whether a JSONPath selects anything, as CEL over the CEL of its root. Supported: names, indexes, `*`, and
 * filters with comparisons, `&&`, `||`, `!`, existence, `count`, `length`, `match` and `search`. Source: RFC 9535.
 */
export function translateJsonPath(path: string, root: string, refuse: Refuse): string {
  return new PathReader(path.trim(), refuse).whole(root);
}

/** JSON pointer tokens of a path that selects one node; undefined: it may select several. */
export function singularPath(path: string, refuse: Refuse): (string | number)[] | undefined {
  const segments = new PathReader(path.trim(), refuse).path();
  const tokens = segments.map((segment) =>
    typeof segment === 'object' && 'name' in segment
      ? segment.name
      : typeof segment === 'object' && 'index' in segment
        ? segment.index
        : undefined,
  );
  return tokens.every((token) => token !== undefined) ? tokens : undefined;
}

/** CEL that tests whether a path from a node leads to any node. */
function exists(node: string, segments: Segment[], depth: number): string {
  const [first, ...rest] = segments;
  if (first === undefined) return 'true';
  if (first !== 'all' && 'name' in first) {
    const inner = exists(`${node}[${textLiteral(first.name)}]`, rest, depth);
    return all(`type(${node}) == map`, `${textLiteral(first.name)} in ${node}`, inner);
  }
  if (first !== 'all' && 'index' in first) {
    return all(
      `type(${node}) == list`,
      `size(${node}) > ${first.index}`,
      exists(`${node}[${first.index}]`, rest, depth),
    );
  }
  const name = `n${depth}`;
  const of = (item: string): string =>
    all(...(first === 'all' ? [] : [`(${first.filter(item)})`]), exists(item, rest, depth + 1));
  return `(type(${node}) == list ? ${node}.exists(${name}, ${of(name)}) : type(${node}) == map ? ${node}.exists(${name}, ${of(`${node}[${name}]`)}) : false)`;
}

function all(...parts: string[]): string {
  const real = parts.filter((part) => part !== 'true');
  return real.length === 0 ? 'true' : real.join(' && ');
}

/** An operand of a filter: its value, and the condition under which it exists. */
interface Comparable {
  cel: string;
  exists: string;
  isText?: boolean;
  isNumber?: boolean;
}

class PathReader {
  private at = 0;
  private depth = 0;

  constructor(
    private readonly text: string,
    private readonly refuse: Refuse,
  ) {}

  whole(root: string): string {
    this.rootNode = root;
    const segments = this.path();
    return exists(root, segments, 0);
  }

  private rootNode = '';

  path(): Segment[] {
    if (!this.take('$')) this.refuse('a JSONPath begins with $');
    const segments = this.segments();
    if (this.at < this.text.length) this.refuse(`${this.rest()} is not understood`);
    return segments;
  }

  private segments(): Segment[] {
    const segments: Segment[] = [];
    for (;;) {
      this.blanks();
      if (this.text.startsWith('..', this.at)) this.refuse('`..` in a JSONPath cannot be translated');
      if (this.take('.')) segments.push(this.take('*') ? 'all' : { name: this.name() });
      else if (this.take('[')) segments.push(this.bracket());
      else return segments;
    }
  }

  private name(): string {
    return this.match(/[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*/y) ?? this.refuse(`${this.rest()} is no name`);
  }

  private bracket(): Segment {
    this.blanks();
    const segment = this.selector();
    this.blanks();
    if (!this.take(']')) this.refuse(`${this.rest()} in brackets cannot be translated`);
    return segment;
  }

  private selector(): Segment {
    if (this.take('*')) return 'all';
    if (this.take('?')) {
      const filter = this.either();
      return { filter };
    }
    const quoted = this.quoted();
    if (quoted !== undefined) return { name: quoted };
    const index = this.match(/(0|[1-9]\d*)(?=\s*\])/y);
    return index === undefined
      ? this.refuse(`${this.rest()} in brackets cannot be translated`)
      : { index: Number(index) };
  }

  private either(): (node: string) => string {
    const parts = [this.both()];
    while (this.op('||')) parts.push(this.both());
    return (node) => parts.map((part) => part(node)).join(' || ');
  }

  private both(): (node: string) => string {
    const parts = [this.basic()];
    while (this.op('&&')) parts.push(this.basic());
    return (node) =>
      parts.length === 1 ? (parts[0]?.(node) ?? '') : parts.map((part) => `(${part(node)})`).join(' && ');
  }

  private basic(): (node: string) => string {
    this.blanks();
    if (this.op('!')) {
      const inner = this.basic();
      return (node) => `!(${inner(node)})`;
    }
    if (this.take('(')) {
      const inner = this.either();
      if (!this.op(')')) this.refuse('a bracket is not closed');
      return (node) => `(${inner(node)})`;
    }
    const left = this.comparable();
    const op = ['==', '!=', '<=', '>=', '<', '>'].find((one) => this.op(one));
    if (op === undefined) return (node) => left(node, 'test').exists;
    const right = this.comparable();
    return (node) => compare(left(node, 'value'), op, right(node, 'value'));
  }

  private comparable(): (node: string, as: 'test' | 'value') => Comparable {
    this.blanks();
    const quoted = this.quoted();
    if (quoted !== undefined) return () => ({ cel: textLiteral(quoted), exists: 'true', isText: true });
    const number = this.match(/-?\d+(\.\d+)?([eE][+-]?\d+)?/y);
    if (number !== undefined) return () => ({ cel: literal(Number(number)), exists: 'true', isNumber: true });
    const word = this.match(/(true|false|null)\b/y);
    if (word !== undefined) return () => ({ cel: word, exists: 'true' });
    const called = this.match(/(count|length|match|search)(?=\()/y);
    return called === undefined ? this.query() : this.call(called);
  }

  private query(): (node: string, as: 'test' | 'value') => Comparable {
    const isRoot = this.take('$');
    if (!isRoot && !this.take('@')) this.refuse(`${this.rest()} is not understood`);
    const segments = this.segments();
    this.depth += 1;
    const depth = this.depth * 10;
    return (current, as) => {
      const node = isRoot ? this.rootNode : current;
      if (as === 'value' && segments.some((segment) => segment === 'all' || 'filter' in segment)) {
        this.refuse('only a path to one value is compared');
      }
      return { cel: valueAt(node, segments), exists: exists(node, segments, depth) };
    };
  }

  private call(name: string): (node: string, as: 'test' | 'value') => Comparable {
    this.take('(');
    const first = this.comparable();
    const second = this.op(',') ? this.comparable() : undefined;
    if (!this.op(')')) this.refuse('a bracket is not closed');
    if (name === 'count')
      return (node) => ({ cel: `(${first(node, 'value').exists} ? 1 : 0)`, exists: 'true', isNumber: true });
    if (name === 'length') {
      return (node) => {
        const { cel, exists: isThere } = first(node, 'value');
        return { cel: `size(${cel})`, exists: all(isThere, `type(${cel}) in [string, list, map]`), isNumber: true };
      };
    }
    if (second === undefined) this.refuse(`${name}() requires two arguments`);
    return (node) => {
      const [value, pattern] = [first(node, 'value'), second?.(node, 'value')];
      if (!pattern?.isText) return this.refuse(`the pattern of ${name}() is no text`);
      const whole = name === 'match' ? `"^(?:" + ${pattern.cel} + ")$"` : pattern.cel;
      return {
        cel: 'true',
        exists: all(value.exists, `type(${value.cel}) == string`, `${value.cel}.matches(${whole})`),
      };
    };
  }

  private quoted(): string | undefined {
    const text = this.match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y);
    if (text === undefined) return undefined;
    return text.slice(1, -1).replaceAll(/\\(.)/g, '$1');
  }

  private op(text: string): boolean {
    this.blanks();
    return this.take(text);
  }

  private take(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private blanks(): void {
    this.match(/\s+/y);
  }

  private rest(): string {
    return JSON.stringify(this.text.slice(this.at, this.at + 40));
  }
}

function valueAt(node: string, segments: Segment[]): string {
  return segments.reduce((at, segment) => {
    if (segment === 'all' || 'filter' in segment) return at;
    return 'name' in segment ? `${at}[${textLiteral(segment.name)}]` : `${at}[${segment.index}]`;
  }, node);
}

/** Absent equals only absent, and is neither less nor greater. Source: RFC 9535, 2.3.5.2.2. */
function compare(left: Comparable, op: string, right: Comparable): string {
  if (op === '!=') return `!(${compare(left, '==', right)})`;
  if (op === '==') {
    const both = all(left.exists, right.exists, `${left.cel} == ${right.cel}`);
    const isNever = left.exists === 'true' || right.exists === 'true';
    return isNever ? both : `(${both}) || (!(${left.exists}) && !(${right.exists}))`;
  }
  const kinds = [left, right].flatMap(({ cel, isText, isNumber }) => (isText || isNumber ? [] : [cel]));
  const isText = left.isText || right.isText;
  const guards = kinds.map((cel) => (isText ? `type(${cel}) == string` : `type(${cel}) in [int, uint, double]`));
  const less = `${left.cel} ${op} ${right.cel}`;
  const ordered = all(left.exists, right.exists, ...guards, less);
  return op === '<=' || op === '>=' ? `(${ordered}) || (${compare(left, '==', right)})` : ordered;
}
