import type { CallStatus } from '../../contracts/session.js';

/** Codes of built-in guards, which run within the attempt and before any effect. */
const BY_BUILTIN: ReadonlySet<string> = new Set(['guard.denied', 'hook.failed']);

/**
 * State of a failed call in its session's list. A call denied by a guard was not made, and leaves the list; other
 * denials, such as of a redirect's host, came after the call.
 * @param isMade whether its guards allowed it. @param code undefined: not one of ours.
 */
export function endOfCall(
  isMade: boolean,
  code: string | undefined,
): Extract<CallStatus, 'unknown' | 'failed'> | 'denied' {
  if (!isMade || (code !== undefined && BY_BUILTIN.has(code))) return 'denied';
  return code === 'outcome.unknown' ? 'unknown' : 'failed';
}
