import type { Caller } from '../../contracts/callers.js';
import type { Seal } from '../../contracts/seal.js';

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
