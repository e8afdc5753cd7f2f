/**
 * A person as the runtime knows them. `claimed` means that nothing proves the name; else what does: the token, the
 * sign-in or the signed delivery that a door took, for which it signs. Source: docs/approvals.md#who-may-decide.
 */
export interface Person {
  name: string;
  source: 'claimed' | 'token' | 'oidc' | 'slack' | 'webhook';
  /** The agent that acts for the person, as its client calls itself; a claim. Omitted: the person acts directly. */
  agent?: string;
}

/**
 * Who starts a task, as in `match.callers` of hooks. `child`: another task; `session`: a session; `person`,
 * `agent` and `ci`: as the client states, which on the command line is only a claim.
 */
export const CALLERS = ['person', 'ci', 'agent', 'session', 'child'] as const;

export type Caller = (typeof CALLERS)[number];

/**
 * Who starts a task, with all that guards read of them; null where it is not known, and never left out, so that no
 * door can forget a part of it.
 */
export interface TaskCaller {
  person: Person;
  /** Null: not known, so that every hook fires. */
  kind: Caller | null;
  session: string | null;
  /** The folder of the project that it concerns. */
  scope: string | null;
  /** W3C `traceparent` of the request. */
  trace: string | null;
  /** The purpose, in the words of the requester; one line. */
  intent: string | null;
}
