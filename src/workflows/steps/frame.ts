import type { Json } from '../../contracts/json.js';
import type { Budget } from '../budget.js';
import type { Halt } from '../halt.js';

/** Where in the tree the interpreter is. */
export interface Frame {
  /** What the paths of the steps here begin with: empty, or ending in a slash. */
  prefix: string;
  /** Names that expressions see here besides the common ones. */
  names: { [name: string]: Json };
  halt: Halt;
  budget: Budget;
  /** Attempt of each retried group around, from the outside in. */
  groups: readonly number[];
  /** In `finally` and when calls are taken back, which run to their end. */
  isCleanup: boolean;
}

/** The frame inside a step. */
export function frameInside(frame: Frame, path: string, halt: Halt = frame.halt): Frame {
  return { ...frame, prefix: `${path}/`, halt };
}
