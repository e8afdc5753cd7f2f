import type { Node } from '../syntax/node.js';

/** An evaluation failure; no Error, since `all`, `exists`, `&&` and `||` go on and stack traces are slow. */
export class Failure {
  constructor(
    readonly summary: string,
    /** The node that reads a missing value. */
    readonly missing?: Node,
  ) {}
}

/** @throws Failure always. */
export function fail(summary: string): never {
  throw new Failure(summary);
}
