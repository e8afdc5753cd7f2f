/**
 * Who starts a task, as `match.callers` of hooks has it. Each task has one of them.
 *
 * `child`: another task started it; `session`: it was started in a session; `person`, `agent` and `ci`: as its client
 * says, which on the command line is a claim.
 */
export const CALLERS = ['person', 'ci', 'agent', 'session', 'child'] as const;

/** One of {@link CALLERS}. */
export type Caller = (typeof CALLERS)[number];
