import type { HookAnswer } from '../../contracts/hooks.js';
import { failedAnswer } from '../hooks/hook-facts.js';

/**
 * Refuses a call outside any task: it is never entered in the session, so that no limit would count it. Source:
 * docs/hooks.md#guarding-the-calls-of-agent-tools; docs/sessions.md#guards-over-a-session.
 */
export function refuseSessionGuard(id: string, ability: string, session: string): HookAnswer {
  const reason = `it looks at what the session ${session} did, and a call that no task makes is not counted there`;
  const suggestion = `Run \`ability run ${ability} --session ${session}\` instead, which the session counts.`;
  return failedAnswer(id, { phase: 'PreAbilityCall', path: '' }, reason, suggestion);
}
