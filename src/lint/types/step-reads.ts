import { type Node, walk } from '../../rules/expressions/syntax/node.js';
import { parseExpression, textOf } from './parse.js';

/** How an expression looks at a step. */
export interface StepRead {
  id: string;
  /** `output`, `status`, `error`; undefined for the step as a whole. */
  part: string | undefined;
  /** It reads a field of the output without asking for it, which fails while the output is null. */
  isDeep: boolean;
}

/** Every look that an expression takes at a step. */
export function stepReadsIn(source: string): StepRead[] {
  const tree = parseExpression(source);
  if (!tree) return [];
  const seen = new Set<Node>();
  const asked = new Set<Node>();
  const reads: StepRead[] = [];
  walk(tree, (node) => {
    if (node.op === 'call' && (node.args as [string])[0] === 'has') {
      for (const operand of (node.args as [string, Node[]])[1]) asked.add(operand);
    }
    if (seen.has(node)) return;
    const keys: { name: string; isAsked: boolean }[] = [];
    let at = node;
    for (let key = keyOf(at); key !== undefined; key = keyOf(at)) {
      keys.unshift({ name: key, isAsked: at.op === '.?' || at.op === '[?]' || asked.has(at) });
      at = (at.args as [Node])[0];
      seen.add(at);
    }
    const [step, part, field] = keys;
    if (at.op !== 'id' || at.args !== 'steps' || !step) return;
    const isDeep = part?.name === 'output' && !part.isAsked && field !== undefined && !field.isAsked;
    reads.push({ id: step.name, part: part?.name, isDeep });
  });
  return reads;
}

function keyOf({ op, args }: Node): string | undefined {
  if (op === '.' || op === '.?') return (args as [Node, string])[1];
  if (op === '[]' || op === '[?]') return textOf((args as [Node, Node])[1]);
  return undefined;
}
