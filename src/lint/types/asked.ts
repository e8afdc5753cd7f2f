import type { Node } from '../../rules/expressions/syntax/node.js';
import { pathOf, textOf } from './parse.js';

const NOTHING: ReadonlySet<string> = new Set();

/** The paths of which it is known that they are there, once a condition came out as true, or as false. */
export function askedBy({ op, args }: Node, outcome: boolean): ReadonlySet<string> {
  switch (op) {
    case '&&':
    case '||': {
      const [left, right] = (args as [Node, Node]).map((side) => askedBy(side, outcome)) as [
        ReadonlySet<string>,
        ReadonlySet<string>,
      ];
      const isBoth = (op === '&&') === outcome;
      return new Set(isBoth ? [...left, ...right] : [...left].filter((path) => right.has(path)));
    }
    case '!_':
      return askedBy(args as Node, !outcome);
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
      // Whatever was compared was there.
      return new Set((args as Node[]).flatMap((side) => [...withBeginnings(pathOf(side))]));
    case 'id':
    case '.':
    case '[]':
      return withBeginnings(pathOf({ op, args }));
    default:
      return NOTHING;
  }
}

function withBeginnings(path: string | undefined): ReadonlySet<string> {
  if (path === undefined) return NOTHING;
  const parts = path.split('.');
  return new Set(parts.map((_, index) => parts.slice(0, index + 1).join('.')));
}
