import type { Caller } from '../../contracts/callers.js';
import type { Person } from '../../contracts/people.js';

/** Who would ask for a task. */
export interface Asker extends Person {
  /** As which kind of caller; left out: not known, so that every hook is previewed. */
  caller?: Caller;
}
