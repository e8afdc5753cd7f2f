import type { Node } from '../syntax/node.js';

/**
 * An expression cannot be evaluated.
 *
 * No Error, because `all`, `exists`, `&&` and `||` go on after one: noting down where each of thousands was made would
 * take longer than the expression.
 */
export class Failure {
  constructor(
    readonly summary: string,
    /** The part that reads a missing value. */
    readonly missing?: Node,
  ) {}
}

/** @throws Failure always. */
export function fail(summary: string): never {
  throw new Failure(summary);
}
