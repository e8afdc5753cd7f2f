import type { CallAttempt } from '../../../../client/index.js';
import type { Approval } from '../../../../contracts/approvals.js';
import type { LoopCounts } from '../../../../contracts/loops.js';
import type { StepWait } from '../../../../contracts/task.js';
import type { SeenNow } from '../../../../operations/watch-task.js';
import { formatDuration } from '../../../../rules/duration.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { formatDistance, formatUntil } from '../format-time.js';
import type { Style } from '../terminal/terminal.js';

/** `until` is left out without an end, or if `what` already says it. */
export interface WaitText {
  what: string;
  until?: string;
}

/** What a step waits for, such as `waits for signal go` and `until 14:05:09 (in 3 min)`. @param now milliseconds. */
export function describeStepWait({ for: kind, what = '', until, attempt }: StepWait, now: number): WaitText {
  const end = until === undefined ? {} : { until: `until ${formatUntil(until, now)}` };
  const next = until === undefined ? 'follows' : formatDistance(until, now);
  switch (kind) {
    case 'signal':
      return { what: `waits for signal ${oneLine(what)}`, ...end };
    case 'condition':
      return until === undefined
        ? { what: `waits for ${oneLine(what)}` }
        : { what: `waits until ${formatUntil(until, now)}` };
    case 'time':
      return { what: until === undefined ? 'waits' : `waits until ${formatUntil(until, now)}` };
    case 'attempt':
      return { what: `waits until ${formatUntil(until ?? '', now)} for attempt ${attempt ?? ''}: ${oneLine(what)}` };
    case 'turn':
      return { what: `next turn ${next}` };
  }
}

export function inOne({ what, until }: WaitText): string {
  return until === undefined ? what : `${what}, ${until}`;
}

/** Whom an open approval waits for, and until when. @param now milliseconds. */
export function describeApprovalWait({ approvers, expires_at, quorum, decisions }: Approval, now: number): WaitText {
  const who = approvers.length === 0 ? 'anyone' : oneLine(approvers.join(', '));
  const have = decisions.filter(({ decision }) => decision === 'approve').length;
  const count = quorum > 1 ? `, ${have} of ${quorum} so far` : '';
  return { what: `waits for approval by ${who}${count}`, until: `until ${formatUntil(expires_at, now)}` };
}

/** A call's attempt, and when it begins if that is still ahead. @param now milliseconds since 1970. */
export function describeAttempt({ attempt, starts_at }: CallAttempt, now: number): string {
  return starts_at === null || Date.parse(starts_at) <= now
    ? `attempt ${attempt}`
    : `attempt ${attempt} ${formatDistance(starts_at, now)}`;
}

/** Why the previous attempt failed: its code and last message. Empty if unknown. */
export function describeEarlierFailure({ earlier }: CallAttempt): string {
  return earlier ? `${earlier.code}: ${oneLine(earlier.message.trimEnd().split('\n').at(-1) ?? '')}` : '';
}

const FAILED = ['failed', 'denied', 'timed_out', 'cancelled', 'unknown'] as const;
const WIDEST_BAR = 20;

/** How far a loop is: a bar and `8/20` of a `foreach`, `turn 3` of a `repeat`; with how many items failed. */
export function renderLoop(items: LoopCounts, { columns, style }: { columns: number; style: Style }): string {
  const { verb, total } = items;
  const { failed, done } = countsOf(items);
  const bad = failed === 0 ? '' : `  ${style('red', `${failed} failed`)}`;
  if (verb === 'repeat') return `turn ${total}${bad}`;
  return `${barOf(done, total, Math.min(WIDEST_BAR, Math.floor(columns / 6)))} ${done}/${total}${bad}`;
}

/** As {@link renderLoop}, without a bar. */
function endedOf(items: LoopCounts): string {
  const { failed, done } = countsOf(items);
  const bad = failed === 0 ? '' : `, ${failed} failed`;
  return `${items.verb === 'repeat' ? `turn ${items.total}` : `${done}/${items.total}`}${bad}`;
}

function countsOf(items: LoopCounts): { failed: number; done: number } {
  const failed = FAILED.reduce((sum, end) => sum + (items[end] ?? 0), 0);
  return { failed, done: items.succeeded + (items.skipped ?? 0) + failed };
}

function barOf(done: number, total: number, width: number): string {
  // Never full before the end, never empty after the beginning.
  const share = total === 0 ? width : Math.floor((done / total) * width);
  const full = done > 0 ? Math.max(1, share) : share;
  return `${'█'.repeat(full)}${'░'.repeat(Math.max(0, width - full))}`;
}

/** The maximum number of steps to name. */
const MAX_NAMED = 5;

/** One line: what runs or waits, and how long; such as `running 3m: dump 2m 58s; hosts 8/20 2m`. */
export function renderHeartbeat({ view, attempts }: SeenNow, now: number): string {
  const { status, started_at, created_at, steps, progress, waits = [], approvals } = view;
  const groups = new Set(steps.map(({ path }) => path.split('/').slice(0, -1).join('/')));
  const open = steps.filter(
    ({ path, status: one, items }) =>
      (one === 'running' || one === 'waiting') && !path.includes('*') && (items !== undefined || !groups.has(path)),
  );
  const named = open.slice(0, MAX_NAMED).map(({ path, items }) => {
    const from = progress[path]?.started_at;
    const words = [
      ...(items ? [endedOf(items)] : []),
      ...(from === undefined ? [] : [wholeSeconds(now - Date.parse(from))]),
      ...attempts.filter((one) => one.path === path).map((one) => describeAttempt(one, now)),
      ...waits.filter((one) => one.path === path).map((one) => inOne(describeStepWait(one, now))),
      ...approvals
        .filter((one) => one.status === 'open' && one.path === path)
        .map((one) => inOne(describeApprovalWait(one, now))),
    ];
    return `${oneLine(path)} ${words.join(', ')}`;
  });
  const left = open.length - named.length;
  const time = wholeSeconds(now - Date.parse(started_at ?? created_at));
  const word = status === 'waiting_approval' ? 'waiting for approval' : status;
  return `  ${word} ${time}${named.length > 0 ? `: ${named.join('; ')}` : ''}${left > 0 ? `; ${left} more` : ''}`;
}

/** Rounds down, so that the display changes once a second. */
export function wholeSeconds(ms: number): string {
  return formatDuration(Math.max(0, Math.floor(ms / 1000)) * 1000).replace(/^0ms$/, '0s');
}
