import { type Node, walk } from '../../rules/expressions/syntax/node.js';
import { parseCel } from '../../rules/expressions/syntax/parse.js';
import { attempt } from '../../text/attempt.js';
import { memoizeText } from '../../text/memoize.js';

/** Undefined for an invalid expression, which planning reports. */
export const parseExpression = memoizeText(20_000, (source): Node | undefined => attempt(() => parseCel(source)));

/** The path of a chain of names and constant keys, such as `input.rows`; undefined for other expressions. */
export function pathOf({ op, args }: Node): string | undefined {
  if (op === 'id') return args as string;
  if (op !== '.' && op !== '.?' && op !== '[]' && op !== '[?]') return undefined;
  const [target, name] = args as [Node, Node | string];
  const before = pathOf(target);
  const key = typeof name === 'string' ? name : textOf(name);
  return before === undefined || key === undefined ? undefined : `${before}.${key}`;
}

/** The value of a string literal; undefined for other nodes. */
export function textOf({ op, args }: Node): string | undefined {
  return op === 'value' && typeof args === 'string' ? args : undefined;
}

/** Every path that an expression reads, with all its parents. */
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

const NOTHING: ReadonlySet<string> = new Set();

/** The paths that exist if a condition had this outcome. */
export function presentAfter({ op, args }: Node, outcome: boolean): ReadonlySet<string> {
  switch (op) {
    case '&&':
    case '||': {
      const [left, right] = (args as [Node, Node]).map((side) => presentAfter(side, outcome)) as [
        ReadonlySet<string>,
        ReadonlySet<string>,
      ];
      const isBoth = (op === '&&') === outcome;
      return new Set(isBoth ? [...left, ...right] : [...left].filter((path) => right.has(path)));
    }
    case '!_':
      return presentAfter(args as Node, !outcome);
    case 'call': {
      const [name, [operand]] = args as [string, Node[]];
      return name === 'has' && outcome && operand ? withBeginnings(pathOf(operand)) : NOTHING;
    }
    case 'rcall': {
      const [name, target] = args as [string, Node, Node[]];
      return name === 'hasValue' && outcome ? withBeginnings(pathOf(target)) : NOTHING;
    }
    case 'in': {
      const [key, map] = args as [Node, Node];
      const [text, path] = [textOf(key), pathOf(map)];
      return outcome && text !== undefined && path !== undefined ? withBeginnings(`${path}.${text}`) : NOTHING;
    }
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      // Both sides of a comparison exist.
      return new Set((args as Node[]).flatMap((side) => [...withBeginnings(pathOf(side))]));
    case 'id':
    case '.':
    case '[]':
      return withBeginnings(pathOf({ op, args }));
    default:
      return NOTHING;
  }
}

/** A path and its parents: what reads `input.a.b` reads `input.a` as well. */
export function withBeginnings(path: string | undefined): ReadonlySet<string> {
  if (path === undefined) return NOTHING;
  const parts = path.split('.');
  return new Set(parts.map((_, index) => parts.slice(0, index + 1).join('.')));
}

export interface StepRead {
  id: string;
  /** `output`, `status`, `error`; undefined for the step as a whole. */
  part: string | undefined;
  /** Whether it reads a field of the output without `?` or `has()`: that fails while the output is null. */
  isDeep: boolean;
}

export function stepReadsIn(source: string): StepRead[] {
  const tree = parseExpression(source);
  if (!tree) return [];
  const seen = new Set<Node>();
  const present = new Set<Node>();
  const reads: StepRead[] = [];
  walk(tree, (node) => {
    if (node.op === 'call' && (node.args as [string])[0] === 'has') {
      for (const operand of (node.args as [string, Node[]])[1]) present.add(operand);
    }
    if (seen.has(node)) return;
    const keys: { name: string; isChecked: boolean }[] = [];
    let at = node;
    for (let key = keyOf(at); key !== undefined; key = keyOf(at)) {
      keys.unshift({ name: key, isChecked: at.op === '.?' || at.op === '[?]' || present.has(at) });
      at = (at.args as [Node])[0];
      seen.add(at);
    }
    const [step, part, field] = keys;
    if (at.op !== 'id' || at.args !== 'steps' || !step) return;
    const isDeep = part?.name === 'output' && !part.isChecked && field !== undefined && !field.isChecked;
    reads.push({ id: step.name, part: part?.name, isDeep });
  });
  return reads;
}

function keyOf({ op, args }: Node): string | undefined {
  if (op === '.' || op === '.?') return (args as [Node, string])[1];
  if (op === '[]' || op === '[?]') return textOf((args as [Node, Node])[1]);
  return undefined;
}
