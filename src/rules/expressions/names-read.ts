import type { Reference } from './expression.js';
import { type Node, walk } from './syntax/node.js';

/** Names of CEL itself: its types, as in `type(x) == int`, and its namespaces. */
const CEL_NAMES: ReadonlySet<string> = new Set([
  ...['bool', 'bytes', 'double', 'dyn', 'int', 'list', 'map', 'null_type', 'string', 'type', 'uint'],
  ...['google', 'optional'],
]);

export function functionsOf(tree: Node): string[] {
  const functions: string[] = [];
  walk(tree, ({ op, args }) => {
    if (op === 'call') functions.push((args as [string, Node[]])[0]);
  });
  return functions;
}

/** Leaves out variables of macros and names of CEL: `input.rows.map(row, row.id)` reads only `input`. */
export function referencesOf(tree: Node): Reference[] {
  const bound = new Set<string>();
  walk(tree, ({ op, args }) => {
    if (op !== 'rcall') return;
    const [, , operands] = args as [string, Node, Node[]];
    const [variable] = operands;
    if (operands.length >= 2 && variable?.op === 'id') bound.add(variable.args as string);
  });
  const references: Reference[] = [];
  const chained = new Set<unknown>();
  walk(tree, (node) => {
    if (chained.has(node)) return;
    const path: string[] = [];
    let target = node;
    while (target.op === '.' || target.op === '.?') {
      const [next, name] = target.args as [Node, string];
      path.unshift(name);
      chained.add(next);
      target = next;
    }
    const isOurs = !bound.has(target.args as string) && !CEL_NAMES.has(target.args as string);
    if (target.op === 'id' && isOurs) references.push({ name: target.args as string, path });
  });
  return references;
}
