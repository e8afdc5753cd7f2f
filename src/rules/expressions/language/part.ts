import type { Node } from '../syntax/node.js';
import type { Failure } from './failure.js';
import type { CallContext, Wanted } from './overloads.js';

/** One evaluation: the values of its names, and its cost so far. */
export interface Evaluation extends CallContext {
  values: { readonly [name: string]: unknown };
  /** Variables of the enclosing macros, by depth. */
  bound: unknown[];
}

/** A part of an expression, ready to be evaluated. */
export interface Part {
  /** @throws Failure. */
  run: (evaluation: Evaluation) => unknown;
  /** The kind of its result, if known in advance. */
  kind: Wanted;
}

/** Context of a part: the variables of the enclosing macros, innermost last, and the errors known so far. */
export interface Place {
  /** Makes a part inside ready: parts hold parts of every form. */
  compile: (node: Node, place: Place) => Part;
  bound: readonly string[];
  /** Failures independent of values: a function that does not exist, operands that no overload takes. */
  failures: Failure[];
  /** Whether `a.?b` and `a[?b]` are absent where `a` is null; else they fail. */
  nullIsEmpty: boolean;
}

/** A part that always fails. */
export function failing(failure: Failure, place: Place): Part {
  place.failures.push(failure);
  return {
    run: () => {
      throw failure;
    },
    kind: 'any',
  };
}
