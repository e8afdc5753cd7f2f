import type { Caller, Person } from '../../contracts/callers.js';
import type { Seal } from '../../contracts/seal.js';

/**
 * The same text for a name however it is written: in capitals, composed or not, in full width, with invisible
 * characters or other blanks. Names of different people that only look alike stay different.
 */
export function personKey(name: string): string {
  const visible = name.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}|\p{C}/gu, '');
  // In both directions, as Unicode folds case: `ß` becomes `ss`.
  return visible.toUpperCase().toLowerCase().normalize('NFKC').replaceAll(/\s+/g, ' ').trim();
}

/** Callers that a client may claim to be; `session` and `child` follow from how the task was started. */
const CLAIMS: readonly (Caller | undefined)[] = ['person', 'ci', 'agent'] satisfies Caller[];

/** The session, if any, else the client's claim; undefined if it may not claim that: every hook fires then. */
export function callerToSeal(from: { session: string | null; caller?: Caller | undefined }): Caller | undefined {
  if (from.session !== null) return 'session';
  return CLAIMS.includes(from.caller) ? from.caller : undefined;
}

/** @param start whose seal is the root's if another task called it. */
export function callerOf({ seal, child }: { seal: Seal; child?: unknown }): Caller | undefined {
  return child === undefined ? seal.caller : 'child';
}

/** For an approver. @param show makes the agent's name, which its client chose, safe to display. */
export function throughAgent({ agent }: Person, show: (text: string) => string): string {
  return agent === undefined ? '' : `, through ${show(agent)}`;
}
