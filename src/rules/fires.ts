import type { Caller } from '../contracts/callers.js';
import type { PlanHook } from '../contracts/plan.js';

/**
 * Whether a hook of a plan fires for a caller.
 *
 * @param caller absent where the task was started by a build that did not note it: every hook fires then, since a guard
 * may be left out only for a caller that is known.
 */
export function firesFor({ callers }: PlanHook, caller: Caller | undefined): boolean {
  return callers === undefined || caller === undefined || callers.includes(caller);
}
