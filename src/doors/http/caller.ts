import type { Right } from '../../contracts/access.js';
import type { Caller } from '../../contracts/callers.js';
import type { Person } from '../../contracts/people.js';

/** Who a request comes from, once that is known. */
export interface HttpCaller {
  person: Person;
  /** Left out where nothing tells, so that every hook fires. */
  kind?: Caller;
  rights: ReadonlySet<Right>;
  /** What the caller is counted by. */
  name: string;
  /** The token that the request came with, as its bearer has it. */
  token?: string;
}
