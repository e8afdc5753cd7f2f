import type { TaskNow } from '../../../../client/index.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { wholeSeconds } from './live-rows.js';
import { endedOf } from './tell-loop.js';
import { inOne, tellApprovalWait, tellAttempt, tellWait } from './tell-wait.js';

/** So many steps are named. */
const MOST_NAMED = 5;

/** One line: what of a task runs or waits, and how long; such as `running 3m: dump 2m 58s, attempt 2; hosts 8/20 2m`. */
export function tellHeartbeat({ view, attempts }: TaskNow, now: number): string {
  const { status, started_at, created_at, steps, progress, waits = [], approvals } = view;
  const groups = new Set(steps.map(({ path }) => path.split('/').slice(0, -1).join('/')));
  const open = steps.filter(
    ({ path, status: one, items }) =>
      (one === 'running' || one === 'waiting') && !path.includes('*') && (items !== undefined || !groups.has(path)),
  );
  const told = open.slice(0, MOST_NAMED).map(({ path, items }) => {
    const from = progress[path]?.started_at;
    const words = [
      ...(items ? [endedOf(items)] : []),
      ...(from === undefined ? [] : [wholeSeconds(now - Date.parse(from))]),
      ...attempts.filter((one) => one.path === path).map((one) => tellAttempt(one, now)),
      ...waits.filter((one) => one.path === path).map((one) => inOne(tellWait(one, now))),
      ...approvals
        .filter((one) => one.status === 'open' && one.path === path)
        .map((one) => inOne(tellApprovalWait(one, now))),
    ];
    return `${oneLine(path)} ${words.join(', ')}`;
  });
  const left = open.length - told.length;
  const time = wholeSeconds(now - Date.parse(started_at ?? created_at));
  const word = status === 'waiting_approval' ? 'waiting for approval' : status;
  return `  ${word} ${time}${told.length > 0 ? `: ${told.join('; ')}` : ''}${left > 0 ? `; ${left} more` : ''}`;
}
