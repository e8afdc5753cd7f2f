import type { Node } from '../syntax/node.js';
import type { Failure } from './kinds.js';
import type { CallContext, Wanted } from './overloads.js';

export interface Evaluation extends CallContext {
  values: { readonly [name: string]: unknown };
  /** Variables of the enclosing macros, outermost first. */
  bound: unknown[];
}

export interface Part {
  /** @throws Failure. */
  run: (evaluation: Evaluation) => unknown;
  kind: Wanted;
}

/** What a part is compiled with. `bound`: the variables of the enclosing macros, outermost first. */
export interface Place {
  /** Compiles an inner part. A member, since importing `compilePart` would be circular. */
  compile: (node: Node, place: Place) => Part;
  bound: readonly string[];
  /** Collects failures that are certain: unknown functions, operands that no overload takes. */
  failures: Failure[];
}

/** Records a failure that is certain; the part also throws it when it runs. */
export function failing(failure: Failure, place: Place): Part {
  place.failures.push(failure);
  return {
    run: () => {
      throw failure;
    },
    kind: 'any',
  };
}
