import type { Node } from '../syntax/node.js';
import type { Failure } from './failure.js';
import type { CallContext, Wanted } from './overloads.js';

/** One evaluation: what its names stand for, and what it has cost. */
export interface Evaluation extends CallContext {
  values: { readonly [name: string]: unknown };
  /** What the macros around have bound, by their depth. */
  bound: unknown[];
}

/** A part of an expression, ready to be evaluated. */
export interface Part {
  /** @throws Failure. */
  run: (evaluation: Evaluation) => unknown;
  /** What it gives whatever it reads, where that is known. */
  kind: Wanted;
}

/** Where a part stands: the names bound by the macros around, innermost last, and what is known to be wrong so far. */
export interface Place {
  /** Makes a part inside ready: parts hold parts of every form. */
  compile: (node: Node, place: Place) => Part;
  bound: readonly string[];
  /** Failures that are certain whatever the part reads: a function that does not exist, operands that nothing takes. */
  failures: Failure[];
  /** Whether `a.?b` and `a[?b]` are absent where `a` is null; else they fail. */
  nullIsEmpty: boolean;
}

/** A part that fails whatever it reads. */
export function failing(failure: Failure, place: Place): Part {
  place.failures.push(failure);
  return {
    run: () => {
      throw failure;
    },
    kind: 'any',
  };
}
