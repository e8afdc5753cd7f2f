import type { Caller } from '../../contracts/callers.js';

/**
 * @param hook planned, or the `match` of a definition.
 * @param caller undefined if the build that started the task did not record it: every hook fires then, since only
 * a known caller may leave out a guard.
 */
export function firesFor(
  { callers }: { callers?: readonly Caller[] | undefined },
  caller: Caller | undefined,
): boolean {
  return callers === undefined || caller === undefined || callers.includes(caller);
}
