/**
 * Who starts a task, as in `match.callers` of hooks. `child`: another task; `session`: a session; `person`,
 * `agent` and `ci`: as the client states, which on the command line is only a claim.
 */
export const CALLERS = ['person', 'ci', 'agent', 'session', 'child'] as const;

/** One of {@link CALLERS}. */
export type Caller = (typeof CALLERS)[number];
