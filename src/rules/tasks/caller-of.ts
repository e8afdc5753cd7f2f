import type { Caller } from '../../contracts/callers.js';
import type { Seal } from '../../contracts/seal.js';
import type { TaskRequest } from '../../contracts/task.js';

/** Callers that a client may claim to be; the other two follow from how the task was started. */
const CLAIMS: readonly (Caller | undefined)[] = ['person', 'ci', 'agent'] satisfies Caller[];

/**
 * The caller of a task, as preflight seals it: the session, if any, else the client's claim.
 *
 * @returns undefined if a client may not claim it; every hook fires then.
 */
export function callerToSeal({ session, caller }: Pick<TaskRequest, 'session' | 'caller'>): Caller | undefined {
  if (session !== null) return 'session';
  return CLAIMS.includes(caller) ? caller : undefined;
}

/**
 * Who started a task: another task, where that called it, else as it was sealed.
 *
 * @param start of the task; its seal is that of the root, where another task called it.
 */
export function callerOf({ seal, child }: { seal: Seal; child?: unknown }): Caller | undefined {
  return child === undefined ? seal.caller : 'child';
}
