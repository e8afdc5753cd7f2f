import type { Caller } from '../../contracts/callers.js';

/**
 * Whether a hook fires for a caller.
 *
 * @param hook of a plan, or the `match` of one as it is defined.
 * @param caller absent where the task was started by a build that did not note it: every hook fires then, since a guard
 * may be left out only for a caller that is known.
 */
export function firesFor(
  { callers }: { callers?: readonly Caller[] | undefined },
  caller: Caller | undefined,
): boolean {
  return callers === undefined || caller === undefined || callers.includes(caller);
}
