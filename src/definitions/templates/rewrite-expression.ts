import { AbilityError } from '../../contracts/problem.js';
import { referencesOf } from '../../rules/expressions/names-read.js';
import { isLoop, type Node, SyntaxFailure } from '../../rules/expressions/syntax/node.js';
import { parseCel } from '../../rules/expressions/syntax/parse.js';
import { writeExpression } from '../../rules/expressions/write.js';
import { GIVEN } from '../../rules/steps/step-tree.js';
import { didYouMean } from '../../text/nearest.js';

/** What a template's expressions may read, and the ids of it in the workflow. */
export interface TemplateNames {
  template: string;
  use: string;
  inputs: readonly string[];
  steps: ReadonlySet<string>;
}

/** Names in every expression of a template, in addition to those of loops inside it. */
const KNOWN = ['input', 'steps', 'environment', 'task'];

export function expandedId(use: string, id: string): string {
  return `${use}/${id}`;
}

/**
 * Makes `input` and `steps` those of one use. Keeps invalid CEL, which checking the workflow reports.
 * @param loops names of enclosing loops. @throws AbilityError `expression.syntax`, `expression.unknown_step`.
 */
export function rewriteExpression(source: string, names: TemplateNames, loops: readonly string[]): string {
  if (source.includes('${{')) return source;
  const parsed = parseIfCel(source);
  if (!parsed) return source;
  const known = [...KNOWN, ...loops];
  const unknown = referencesOf(parsed).find(({ name }) => !known.includes(name));
  if (unknown) throw notSeen(names, `the name \`${unknown.name}\``, source, didYouMean(unknown.name, known));
  const rewriter = new Rewriter(source, names);
  const tree = rewriter.rewrite(parsed, new Set());
  return rewriter.hasChanged ? writeExpression(tree) : source;
}

/** Without the evaluator, which loading definitions does not need. */
function parseIfCel(source: string): Node | undefined {
  try {
    return parseCel(source);
  } catch (error) {
    if (error instanceof SyntaxFailure || error instanceof AbilityError) return undefined;
    throw error;
  }
}

class Rewriter {
  hasChanged = false;

  constructor(
    private readonly source: string,
    private readonly names: TemplateNames,
  ) {}

  /** @param bound names bound by macros around the node. */
  rewrite(node: Node, bound: ReadonlySet<string>): Node {
    const { op, args } = node;
    if (isName(node, 'input', bound)) return this.given(bound);
    if (isName(node, 'steps', bound)) throw this.unreadable();
    if (op === '.' || op === '.?') {
      const [target, name] = args as [Node, string];
      if (isName(target, 'steps', bound)) return { ...node, args: [target, this.stepId(name)] };
      if (isName(target, 'input', bound)) this.checkInput(name);
    }
    if (op === '[]' || op === '[?]') {
      const [target, key] = args as [Node, Node];
      if (isName(target, 'steps', bound)) {
        if (key.op !== 'value' || typeof key.args !== 'string') throw this.unreadable();
        return { ...node, args: [target, { op: 'value', args: this.stepId(key.args) }] };
      }
    }
    if (op === 'rcall') {
      const [name, target, operands] = args as [string, Node, Node[]];
      const [variable] = operands;
      const inner =
        isLoop(name, operands) && variable?.op === 'id' ? new Set([...bound, String(variable.args)]) : bound;
      const inside = operands.map((operand, index) =>
        inner !== bound && index === 0 ? operand : this.rewrite(operand, inner),
      );
      return { ...node, args: [name, this.rewrite(target, bound), inside] };
    }
    return { ...node, args: this.rewriteAll(args, bound) };
  }

  private rewriteAll(args: unknown, bound: ReadonlySet<string>): unknown {
    if (Array.isArray(args)) return args.map((item) => this.rewriteAll(item, bound));
    return isNode(args) ? this.rewrite(args, bound) : args;
  }

  private given(bound: ReadonlySet<string>): Node {
    this.hasChanged = true;
    const steps: Node = { op: 'id', args: 'steps', ...(bound.has('steps') && { isGlobal: true }) };
    return { op: '.', args: [{ op: '.', args: [steps, expandedId(this.names.use, GIVEN)] }, 'output'] };
  }

  private stepId(name: string): string {
    const { use, steps, template } = this.names;
    this.hasChanged ||= steps.has(name);
    if (steps.has(name)) return expandedId(use, name);
    throw new AbilityError({
      code: 'expression.unknown_step',
      message: `The template \`${template}\` has no step \`${name}\` (in \`${this.source}\`)`,
      suggestion: didYouMean(name, steps) ?? 'A template sees its own steps; pass what it needs in `with`.',
    });
  }

  private checkInput(name: string): void {
    const { inputs, template } = this.names;
    if (inputs.includes(name)) return;
    throw new AbilityError({
      code: 'expression.syntax',
      message: `The template \`${template}\` has no input \`${name}\` (in \`${this.source}\`)`,
      suggestion:
        didYouMean(name, inputs) ?? `Name it in \`input\` of the template, and set it in \`with\` of each use.`,
    });
  }

  private unreadable(): AbilityError {
    return new AbilityError({
      code: 'expression.syntax',
      message: `A template reads its steps by their names (in \`${this.source}\`)`,
      suggestion: 'Write `steps.<id>`.',
    });
  }
}

function isName({ op, args, isGlobal }: Node, name: string, bound: ReadonlySet<string>): boolean {
  return op === 'id' && args === name && (isGlobal === true || !bound.has(name));
}

function isNode(value: unknown): value is Node {
  return value !== null && typeof value === 'object' && 'op' in value;
}

function notSeen({ template }: TemplateNames, what: string, source: string, hint: string | undefined): AbilityError {
  const rule = `A template sees ${KNOWN.join(', ')}, where \`input\` is what its use sets in \`with\`.`;
  return new AbilityError({
    code: 'expression.syntax',
    message: `The template \`${template}\` does not see ${what} (in \`${source}\`)`,
    suggestion: hint === undefined ? rule : `${hint} ${rule}`,
  });
}
