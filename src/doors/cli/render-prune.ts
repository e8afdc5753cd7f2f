import type { Prune } from '../answers/prune.js';
import type { Terminal } from './terminal.js';

/** What `ability prune` found, for people. @param unused as it was typed. */
export function renderPrune(
  { counted_since, unused, alike, deprecated }: Prune,
  since: string,
  style: Terminal['style'],
): string {
  const uses = (users: readonly string[]): string => (users.length > 0 ? `; used by ${users.join(', ')}` : '');
  const idle = unused.map(({ id, used, calls, last_used, users }) => {
    const when = used === 'never' ? 'never called' : `${calls} calls, last ${last_used?.slice(0, 10)}`;
    return `  ${id}  ${when}${uses(users)}`;
  });
  // Nothing is known of the time before.
  const counted = counted_since === null ? '' : `, as counted since ${counted_since.slice(0, 10)}`;
  const uncounted = '  calls are not counted here: bind the built-in hook `usage`';
  return [
    style('bold', `Not called for ${since}${counted}`),
    ...(counted_since === null ? [uncounted] : orNone(idle)),
    style('bold', 'Say about the same'),
    ...orNone(alike.map(({ ids, likeness }) => `  ${ids.join(' and ')}  ${likeness.toFixed(2)}`)),
    style('bold', 'Deprecated'),
    ...orNone(
      deprecated.map(({ id, replaced_by, users }) => {
        return `  ${id}${replaced_by === null ? '' : `, replaced by ${replaced_by}`}${uses(users)}`;
      }),
    ),
  ].join('\n');
}

function orNone(lines: readonly string[]): readonly string[] {
  return lines.length > 0 ? lines : ['  none'];
}
