import { type Node, walk } from '../../rules/expressions/syntax/node.js';
import { parseCel } from '../../rules/expressions/syntax/parse.js';

const parsed = new Map<string, Node | undefined>();
const MOST_KEPT = 20_000;

/** The tree of an expression; undefined for one that is not valid, which planning tells. */
export function parseExpression(source: string): Node | undefined {
  if (parsed.has(source)) return parsed.get(source);
  if (parsed.size >= MOST_KEPT) parsed.clear();
  const tree = parse(source);
  parsed.set(source, tree);
  return tree;
}

function parse(source: string): Node | undefined {
  try {
    return parseCel(source);
  } catch {
    return undefined;
  }
}

/** The path that a chain of names and of fixed keys reads: `input.rows`; undefined for whatever else. */
export function pathOf({ op, args }: Node): string | undefined {
  if (op === 'id') return args as string;
  if (op !== '.' && op !== '.?' && op !== '[]' && op !== '[?]') return undefined;
  const [target, name] = args as [Node, Node | string];
  const before = pathOf(target);
  const key = typeof name === 'string' ? name : textOf(name);
  return before === undefined || key === undefined ? undefined : `${before}.${key}`;
}

/** The text that a node is; undefined where it is none. */
export function textOf({ op, args }: Node): string | undefined {
  return op === 'value' && typeof args === 'string' ? args : undefined;
}

/** Every path that an expression reads, and each beginning of it. */
export function pathsIn(source: string): ReadonlySet<string> {
  const tree = parseExpression(source);
  const paths = new Set<string>();
  if (tree) {
    walk(tree, (node) => {
      const path = pathOf(node);
      if (path !== undefined) paths.add(path);
    });
  }
  return paths;
}
