import type { CallStatus } from '../../contracts/session.js';

/** Codes with which built-in guards end a call, from within its attempt and before any effect. */
const BY_BUILTIN: ReadonlySet<string> = new Set(['guard.denied', 'hook.failed']);

/**
 * How a call that failed is listed in its session. One that a guard denied was not done, and leaves the list; what else was
 * denied, such as a host to which it was redirected, came after the call was made.
 *
 * @param isMade whether its guards let it pass. @param code with which it failed; undefined: none that is ours.
 */
export function endOfCall(
  isMade: boolean,
  code: string | undefined,
): Extract<CallStatus, 'unknown' | 'failed'> | 'denied' {
  if (!isMade || (code !== undefined && BY_BUILTIN.has(code))) return 'denied';
  return code === 'outcome.unknown' ? 'unknown' : 'failed';
}
