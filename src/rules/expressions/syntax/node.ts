/** A node of an expression's syntax tree, as plain data. */
export interface Node {
  op: string;
  args: unknown;
  /** Whether the name has a leading dot, so that it never refers to a macro's variable. */
  isGlobal?: boolean;
}

/** Calls `visit` with every node of an expression, outermost first. */
export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  const seen = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) seen(item);
    else if (value !== null && typeof value === 'object' && 'op' in value) walk(value as Node, visit);
  };
  if (node.op !== 'value') seen(node.args);
}

const LOOPING: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'existsOne', 'filter', 'map']);

/** Whether a method call is a macro, whose first argument is the name of a variable. */
export function isLoop(name: string, args: readonly Node[]): boolean {
  return LOOPING.has(name) && (args.length === 2 || (name === 'map' && args.length === 3));
}

/** Thrown for invalid CEL. `range` counts UTF-16 units of the text. */
export class SyntaxFailure {
  readonly range: Range;

  constructor(
    readonly summary: string,
    { start, end }: Range,
  ) {
    this.range = { start, end };
  }
}

export interface Range {
  start: number;
  end: number;
}
