import type { CallAttempt } from '../../../../client/index.js';
import type { Approval } from '../../../../contracts/approvals.js';
import type { StepWait } from '../../../../contracts/task.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { tellDistance, tellUntil } from '../tell-time.js';

/** What is waited for, and until when; that is left out where it has no end, or where the first says it. */
export interface ToldWait {
  what: string;
  until?: string;
}

/** What a step waits for, such as `waits for signal go` and `until 14:05:09 (in 3 min)`. @param now milliseconds. */
export function tellWait({ for: kind, what = '', until, attempt }: StepWait, now: number): ToldWait {
  const end = until === undefined ? {} : { until: `until ${tellUntil(until, now)}` };
  const next = until === undefined ? 'follows' : tellDistance(until, now);
  switch (kind) {
    case 'signal':
      return { what: `waits for signal ${oneLine(what)}`, ...end };
    case 'condition':
      return until === undefined
        ? { what: `waits for ${oneLine(what)}` }
        : { what: `waits until ${tellUntil(until, now)}` };
    case 'time':
      return { what: until === undefined ? 'waits' : `waits until ${tellUntil(until, now)}` };
    case 'attempt':
      return { what: `attempt ${attempt ?? ''} ${next}` };
    case 'turn':
      return { what: `next turn ${next}` };
  }
}

/** As one text. */
export function inOne({ what, until }: ToldWait): string {
  return until === undefined ? what : `${what}, ${until}`;
}

/** Whom an open approval waits for, and until when. @param now milliseconds. */
export function tellApprovalWait({ approvers, expires_at, quorum, decisions }: Approval, now: number): ToldWait {
  const who = approvers.length === 0 ? 'anyone' : oneLine(approvers.join(', '));
  const have = decisions.filter(({ decision }) => decision === 'approve').length;
  const count = quorum > 1 ? `, ${have} of ${quorum} so far` : '';
  return { what: `waits for approval by ${who}${count}`, until: `until ${tellUntil(expires_at, now)}` };
}

/** At which attempt a call is, and when that begins, where it has not. @param now milliseconds. */
export function tellAttempt({ attempt, starts_at }: CallAttempt, now: number): string {
  return starts_at === null || Date.parse(starts_at) <= now
    ? `attempt ${attempt}`
    : `attempt ${attempt} ${tellDistance(starts_at, now)}`;
}

/** Why the attempt before failed: its code, and the last that was said of it. Empty where that is not known. */
export function tellEarlier({ earlier }: CallAttempt): string {
  return earlier ? `${earlier.code}: ${oneLine(earlier.message.trimEnd().split('\n').at(-1) ?? '')}` : '';
}
