/** A part of an expression, as plain data. */
export interface Node {
  op: string;
  args: unknown;
  /** A name that was written with a dot before it: no macro binds it. */
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

/** The macros that bind a name to each item of a list, or to each key of a map. */
export const LOOPING: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'existsOne', 'filter', 'map']);

/** Whether a call of a method is a macro that binds the name which is its first argument. */
export function isLoop(name: string, args: readonly Node[]): boolean {
  return LOOPING.has(name) && (args.length === 2 || (name === 'map' && args.length === 3));
}
