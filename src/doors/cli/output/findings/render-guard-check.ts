import type { GuardCheck } from '../../../../activities/hooks/claude-code/check-guards.js';
import { oneLine } from '../../../../rules/shown-text.js';

/** How many guards `lint --check-hooks` fired and what they answered, on one line; and those that it could not fire. */
export function renderGuardCheck({ findings, guards, calls, unresolved }: GuardCheck): string {
  const fired =
    calls === 0
      ? `${unresolved.length === 0 ? 'No guard has `must_deny`, so none' : 'No guard'} was fired`
      : `Fired ${counted(guards, 'guard')}: ${calls - findings.length} of ${counted(calls, 'call')} denied`;
  if (unresolved.length === 0) return fired;
  return `${fired}; cannot be fired before they are corrected: ${unresolved.map(oneLine).join(', ')}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
