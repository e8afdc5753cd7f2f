import { USER_CLAIM } from '../../contracts/access.js';
import type { Caller } from '../../contracts/callers.js';
import type { Person } from '../../contracts/people.js';

/**
 * Says for whom something is asked for. A token knows better, and a door refuses another name than that of its person; over the
 * socket of a runtime it is a claim, as on the command line.
 */
export function whoAsks({ name }: Pick<Person, 'name'>, caller?: Caller): Record<string, string> {
  return {
    [USER_CLAIM.user]: encodeURIComponent(name),
    ...(caller !== undefined && { [USER_CLAIM.caller]: caller }),
  };
}
