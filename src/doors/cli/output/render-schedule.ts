import type { FiredTask, LastFiring, SeenSchedule, ShownSchedule } from '../../../client/index.js';
import type { Drift } from '../../../planning/schedules/stated-schedules.js';
import { formatDuration } from '../../../rules/duration.js';
import { oneLine } from '../../../rules/shown-text.js';
import { formatDistance, formatMoment } from './format-time.js';
import { renderTable } from './render-table.js';

export const DRIFT_WORDS: Readonly<Record<Drift, string>> = {
  missing: 'stated, not created',
  differs: 'differs from its definition',
  left: 'no definition states it any more',
  taken: 'created by hand under a name that a definition states',
};

export function renderSchedules(schedules: readonly (SeenSchedule & { drift: Drift | null })[]): string {
  const rows = schedules.map(({ spec, paused, next, counts, last, drift }) => {
    return [
      spec.id,
      spec.ability,
      spec.environment,
      `${spec.cron} ${spec.timezone}`,
      paused ? 'paused' : next[0] === undefined ? 'never' : formatDistance(next[0]),
      last === null ? 'none yet' : describeLast(last),
      [...lostOf(counts), ...(drift ? [DRIFT_WORDS[drift]] : [])].join('; '),
    ];
  });
  return renderTable(['SCHEDULE', 'ABILITY', 'ENVIRONMENT', 'WHEN', 'NEXT', 'LAST', ''], rows);
}

/** A firing that began more than a minute late says so. */
const LATE_SECONDS = 60;

function describeLast({ status, error, at, late_seconds }: LastFiring): string {
  const late = late_seconds > LATE_SECONDS ? `, ${late_seconds} s late` : '';
  return `${status}${error ? ` ${error.code}` : ''} ${formatDistance(at)}${late}`;
}

export function renderSchedule(shown: ShownSchedule): string[] {
  const { spec, stated_in, paused, note, next, counts, firings } = shown;
  const [first] = next;
  const before = spec.approve_before_ms;
  const ahead = before === undefined ? '' : `, approvals asked ${formatDuration(before)} before`;
  return [
    `${spec.id}  ${spec.ability} in ${spec.environment}, ${spec.cron} ${spec.timezone}`,
    `  ${paused ? 'paused' : `next  ${first === undefined ? 'never' : formatMoment(first)}`}${note ? `: ${oneLine(note)}` : ''}`,
    `  ${stated_in === null ? 'created by hand' : `stated in ${stated_in}`}`,
    `  overlap ${spec.overlap}, jitter ${formatDuration(spec.jitter_ms)}, catch-up ${formatDuration(spec.catch_up_ms)}${ahead}`,
    `  input ${oneLine(JSON.stringify(spec.input))}`,
    `  fired ${[String(counts.fired), ...lostOf(counts)].join('; ')}`,
    ...firings.flatMap(renderFiring),
  ];
}

function lostOf({ missed, skipped }: SeenSchedule['counts']): string[] {
  return [
    ...(missed > 0 ? [`${missed} missed`] : []),
    ...(skipped > 0 ? [`${skipped} left out, since a task was open`] : []),
  ];
}

function renderFiring({ scheduled_for, task_key, status, task_status, error }: FiredTask): string[] {
  const seen = task_status === null ? status : `${status} (${task_status})`;
  const line = `  ${formatMoment(scheduled_for)}  ${seen}  ${task_key}`;
  if (!error) return [line];
  const { code, message, suggestion } = error;
  return [line, `    ${code} ${oneLine(message)}`, ...(suggestion === undefined ? [] : [`    ${oneLine(suggestion)}`])];
}
