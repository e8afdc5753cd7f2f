import type { Prune } from '../../answers/prune.js';
import type { Style } from './terminal/terminal.js';

/** @param since the value of `--unused`, as typed. */
export function renderPrune(
  { counted_since, counted_in, unused, alike, deprecated }: Prune,
  since: string,
  style: Style,
): string {
  const uses = (users: readonly string[]): string => (users.length > 0 ? `; used by ${users.join(', ')}` : '');
  const idle = unused.map(({ id, used, calls, last_used, users }) => {
    const never = users.length > 0 ? 'no call known' : 'never called';
    const when = used === 'never' ? never : `${calls} calls, last ${last_used?.slice(0, 10)}`;
    return `  ${id}  ${when}${uses(users)}`;
  });
  // Calls before that time are unknown.
  const counted =
    counted_since === null ? '' : `, as counted since ${counted_since.slice(0, 10)}${sourcesOf(counted_in)}`;
  const uncounted =
    '  no call is known here: there are no records of tasks, and the built-in hook `usage` has counted none';
  return [
    style('bold', `Not called for ${since}${counted}`),
    ...(counted_since === null ? [uncounted] : orNone(idle)),
    style('bold', 'Very similar'),
    ...orNone(alike.map(({ ids, likeness }) => `  ${ids.join(' and ')}  ${likeness.toFixed(2)}`)),
    style('bold', 'Deprecated'),
    ...orNone(
      deprecated.map(({ id, replaced_by, users }) => {
        return `  ${id}${replaced_by === null ? '' : `, replaced by ${replaced_by}`}${uses(users)}`;
      }),
    ),
  ].join('\n');
}

function sourcesOf({ usage, records, tasks }: Prune['counted_in']): string {
  const sources = [
    ...(usage ? ['the hook `usage`'] : []),
    ...(records > 0 ? [`${records} records of tasks`] : []),
    ...(tasks === null ? [] : [`${tasks} tasks in Temporal`]),
  ];
  return ` by ${sources.join(', ')}`;
}

function orNone(lines: readonly string[]): readonly string[] {
  return lines.length > 0 ? lines : ['  none'];
}
