import type { GrantUse } from '../../contracts/grants.js';
import type { RunRef, RunStart } from '../task/runs.js';

/** The first event of a run, as Temporal has it. */
export interface FirstEvent extends Omit<RunStart, 'task'> {
  /** Someone had an earlier run start again from one of its events. */
  isReset: boolean;
  /** The first argument; undefined: it has none. */
  argument: unknown;
}

/** Operations of activities on grants, over the connection of their worker. */
export interface GrantAccess {
  /** The run under an id; undefined: none is open. */
  findOpen(workflowId: string): Promise<RunRef | undefined>;
  /** Id of the first run of an open session. @throws AbilityError `session.not_found`, `session.stopped`. */
  firstRunOf(session: string): Promise<string>;
  /** Undefined if Temporal does not know the run. */
  readFirst(run: RunRef): Promise<FirstEvent | undefined>;
  /** Counts a use, once for its id. @returns its number; null: the grant has ended. */
  use(run: RunRef, use: GrantUse): Promise<number | null>;
}
